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
    /**
     * Lines that tell of no request which the application saw: bytes that are no HTTP, or requests that the proxy answered
     * alone. They are not counted below.
     */
    readonly notReached: number;
    /** Lines out of the time that was asked for. They are not counted below. */
    readonly outside: number;
    /** Requests that began so long before their line was written that they were replayed later than they came. */
    readonly late: number;
    /** Lines that were written more than a minute before one above them. They are not counted below. */
    readonly misplaced: number;
  };
  /** The format that the lines have: `combined`, `json`, or a `log_format` of nginx. */
  readonly logFormat: string;
  /** The first and last request, in Unix milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** How exact the times of the log are, in milliseconds: 1000 for logs with whole seconds. */
  readonly resolutionMs: number;
  /** All requests, also those that no policy matches. */
  readonly requests: Refused;
  /** Requests that no policy matches. */
  readonly unmatched: number;
  /** Clients, however many policies were asked about them: by their key in the first policy that tells them apart, or by address. */
  readonly clients: { readonly seen: number; readonly refused: number };
  /** Of the refused requests: those that the application had answered with a status below 400, and the others. */
  readonly refusedAnswers: { readonly well: number; readonly withError: number };
  readonly worstMinute: { readonly atMs: number; readonly requests: number; readonly refused: number };
  readonly policies: readonly PolicyResult[];
  /** The length of the intervals of `timeline`, in milliseconds. */
  readonly timelineStepMs: number;
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
  /** Requests that the two files decide differently, with `against`. */
  readonly changes: { readonly newlyRefused: number; readonly newlyAllowed: number } | undefined;
  readonly sweeps: readonly SweepResult[];
  /** Sentences about what these numbers do not tell: parts of the file that a log cannot show. */
  readonly notes: readonly string[];
}

/** Requests, and how many of them would be refused. */
export interface Refused {
  readonly seen: number;
  readonly refused: number;
  /**
   * Undefined if the log's times are exact. Otherwise the real number lies between these two: limits that are a second more
   * generous refuse the first, and limits that are a second stricter the second. `refused` is for requests that came spread
   * evenly over their second.
   */
  readonly refusedRange: readonly [least: number, most: number] | undefined;
}

export interface PolicyResult {
  readonly policy: string;
  readonly requests: Refused;
  readonly keys: { readonly seen: number; readonly refused: number };
  /** Of the refused requests: those refused for their sender, such as a blocked customer. No limit was asked. */
  readonly senders: number;
  /** Whether the policy has no `match`, so that it was asked about each request that reached it. */
  readonly isForAll: boolean;
  /** What each limit refused, in each tier; also those that refused nobody. A request that two limits refuse counts for both. */
  readonly limits: readonly {
    readonly limit: string;
    /** Empty if the limit is the same in all tiers, `override` if it is that of a customer. */
    readonly tier: string;
    readonly refused: number;
    /** Requests that a limit in shadow did not refuse, but would have. */
    readonly wouldRefuse: number;
    /** Keys of which it refused a request, or would have. */
    readonly keysRefused: number;
  }[];
}

/** One limit with several numbers: which share of requests and of keys each would refuse. */
export interface SweepResult {
  readonly policy: string;
  readonly limit: string;
  /** The tier whose limit was changed; empty if the limit is the same in all tiers. */
  readonly tier: string;
  /** The number in the file. */
  readonly current: number;
  /** All requests and keys of the policy: what the shares are of. */
  readonly requests: number;
  readonly keys: number;
  readonly points: readonly {
    readonly quota: number;
    readonly requestsRefused: number;
    readonly keysRefused: number;
  }[];
  /** The smallest number that refuses fewer than 0.1 % of keys; undefined if none does. */
  readonly knee: number | undefined;
}
