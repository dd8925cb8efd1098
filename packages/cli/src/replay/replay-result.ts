/**
 * What a policy file would have done to the requests of a log: the JSON of `sluice replay --json`, and all that the report
 * shows.
 */
export interface ReplayResult {
  /** The version of this format. */
  readonly version: 1;
  readonly logs: readonly string[];
  readonly policyFile: string;
  /** The file that it was compared with, if any. */
  readonly against: string | undefined;
  readonly lines: {
    readonly read: number;
    readonly unparsed: number;
    readonly firstUnparsed: readonly { readonly log: string; readonly line: number; readonly text: string }[];
  };
  /** The first and last request, in Unix milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** How exact the times of the log are, in milliseconds: 1000 for logs with whole seconds. */
  readonly resolutionMs: number;
  readonly requests: Refused;
  readonly keys: { readonly seen: number; readonly refused: number };
  /** Of the refused requests: those that the application had answered with a status below 400, and the others. */
  readonly refusedAnswers: { readonly well: number; readonly withError: number };
  readonly worstMinute: { readonly atMs: number; readonly requests: number; readonly refused: number };
  readonly policies: readonly PolicyResult[];
  /** Requests and refusals over time, at most some hundred points. */
  readonly timeline: readonly {
    readonly atMs: number;
    readonly requests: number;
    readonly refused: number;
    readonly refusedAgainst?: number;
  }[];
  readonly topKeys: readonly {
    readonly key: string;
    readonly policy: string;
    readonly requests: number;
    readonly refused: number;
  }[];
  readonly changes: { readonly newlyRefused: number; readonly newlyAllowed: number } | undefined;
  readonly sweeps: readonly SweepResult[];
}

/** Requests and how many of them would be refused. If the log's times are not exact, `refused` lies between two numbers. */
export interface Refused {
  readonly seen: number;
  readonly refused: number;
  /** Present if the log's times are not exact: the smallest and the largest number, by where in the second requests are put. */
  readonly refusedRange: readonly [least: number, most: number] | undefined;
}

export interface PolicyResult {
  readonly policy: string;
  readonly requests: Refused;
  readonly keys: { readonly seen: number; readonly refused: number };
  readonly limits: readonly {
    readonly limit: string;
    readonly tier: string;
    readonly refused: number;
    readonly wouldRefuse: number;
    readonly keysRefused: number;
  }[];
}

/** One limit with several numbers: which share of requests and of keys each would refuse. */
export interface SweepResult {
  readonly policy: string;
  readonly limit: string;
  readonly points: readonly {
    readonly quota: number;
    readonly requestsRefused: number;
    readonly keysRefused: number;
  }[];
  /** The smallest number that refuses fewer than 0.1 % of keys; undefined if none does. */
  readonly knee: number | undefined;
}
