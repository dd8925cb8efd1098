/**
 * Everything that was chosen for one run of a fleet. A tape and the code that it runs make the same history every time. A tape is
 * plain data: it stands in a JSON file, and a reader can change it by hand.
 */
export interface Tape {
  readonly version: 1;
  /**
   * The seed of what chance decides while the steps are played: delays and losses of messages, the order of what happens in one
   * moment, random bytes. 0: every message takes the shortest time of its network, and nothing is lost.
   */
  readonly chance: number;
  readonly setup: Setup;
  /** In the order of their times. */
  readonly steps: readonly Step[];
}

/** What there is before the first step. */
export interface Setup {
  readonly processes: readonly ProcessSetup[];
  readonly servers: readonly ServerSetup[];
  /** Where all policies count. Each process makes its own stores in this form. */
  readonly store: StoreSetup;
  readonly policies: readonly PolicySetup[];
  /** The limits of calls of language models. They count in the same store. Default: none. */
  readonly plans?: readonly PlanSetup[];
  readonly network: NetworkSetup;
  /** How long the steps last, in virtual milliseconds. The fleet then gets time to come to rest. */
  readonly lastsMs: number;
}

/** One process of the application. */
export interface ProcessSetup {
  /** How far its clock is ahead of the world's. Negative: behind. */
  readonly clockAheadMs: number;
  /** Which version of the code it runs: an index into the bundles of the run. Default: 0. */
  readonly code?: number;
  /** Which variant of each policy it begins with. Default: 0. */
  readonly variant?: number;
}

/** A Redis, or a table of a database with compare and swap. */
export interface ServerSetup {
  readonly kind: 'redis' | 'table';
  /** How far its clock is ahead of the world's. */
  readonly clockAheadMs: number;
  /** By how much its clock goes faster, in millionths. Default: 0. */
  readonly driftPpm?: number;
  /** How much longer each message from it or to it takes than others: it is in another zone. Default: 0. */
  readonly farMs?: number;
  /** How long a command takes it. It does one after another. Default: 0. */
  readonly commandMs?: number;
}

/** A store, or one in front of others. */
export type StoreSetup =
  | { readonly kind: 'memory' }
  | {
      readonly kind: 'redis' | 'table';
      readonly server: number;
      readonly timeoutMs: number;
      readonly instances: number;
    }
  | { readonly kind: 'sharded'; readonly nodes: readonly StoreSetup[] }
  | ({ readonly kind: 'leased'; readonly of: StoreSetup; readonly leaseMs: number } & InFrontSetup)
  | ({
      readonly kind: 'synced';
      readonly of: StoreSetup;
      readonly syncMs: number;
      readonly slice: number;
    } & InFrontSetup);

/** What stores in front of others have in common. */
interface InFrontSetup {
  /** From how many requests in an interval on a key is decided in the process. `'default'`: as without the option. Absent: 2, which is soon. */
  readonly busyFrom?: 'default';
}

/** A policy, and the variants by which it is replaced or deployed. */
export interface PolicySetup {
  readonly name: string;
  readonly onStoreError: 'local' | 'allow' | 'deny';
  /** At least one. They have limits of the same names. */
  readonly variants: readonly (readonly LimitSetup[])[];
}

/** One limit of a policy. */
export interface LimitSetup {
  readonly name: string;
  readonly limit: LimitNumbers;
  /** By what it counts: each subject, or all subjects together. */
  readonly by: 'subject' | 'everyone';
  /** The cost of each request on this limit, whatever the call says. Absent: that of the call. */
  readonly cost?: number;
  /** 0: the limit never refuses. Default: 1. */
  readonly enforce?: 0 | 1;
  /** How far requests may pass the limit, as a part of it from 0 to 1. */
  readonly tolerance?: number;
  /** Each subject is a tenant. It is guaranteed `part` units, all tenants together `total`. */
  readonly guarantee?: { readonly part: number; readonly total: number; readonly lend: number };
}

/** Limits of calls of language models, as `createLlm` takes them. All calls are of one model. */
export interface PlanSetup {
  readonly name: string;
  readonly onStoreError: 'local' | 'allow' | 'deny';
  /** The limits of each subject. At least one. */
  readonly limits: PlanNumbers;
  /** Those that all subjects share: the plan of a scope. */
  readonly together?: PlanNumbers;
  /** What calls hold. `'default'`: as `createLlm` decides, the expected tokens and the most money. */
  readonly hold: 'default' | 'expected' | 'ceiling';
  /** What a call costs whose usage was never stated. Absent: as `createLlm` decides. */
  readonly unknownUsage?: 'counted' | 'reserved';
  /** How long a call may make no progress. */
  readonly maxHoldMs: number;
  /** The most tokens of what a body only names. Absent: calls name nothing. */
  readonly unseen?: number;
  /** Each process reports the thresholds of budgets, and the store marks what was reported. */
  readonly isWatched?: true;
}

/** Requests, tokens, input tokens and output tokens a minute; calls at the same time; micro-dollars a day or a month. */
export type PlanNumbers = Readonly<
  Partial<Record<'rpm' | 'tpm' | 'itpm' | 'otpm' | 'parallel' | 'perDay' | 'perMonth', number>>
>;

/** A limit as the constructors of core take it. */
export type LimitNumbers =
  | {
      readonly algorithm: 'sliding-window' | 'sliding-window-log' | 'sliding-window-counter' | 'fixed-window';
      readonly limit: number;
      readonly windowMs: number;
      /** Only of a fixed window. */
      readonly align?: 'first-request' | 'clock';
      readonly countRejected?: true | 'always';
      readonly blockMs?: number;
    }
  | {
      readonly algorithm: 'token-bucket';
      readonly capacity: number;
      /** Units per second. 0: the bucket never refills. */
      readonly refillRate: number;
      /** Only with a rate of 0. */
      readonly keepForMs?: number;
      readonly blockMs?: number;
    }
  | { readonly algorithm: 'leaky-bucket'; readonly capacity: number; readonly leakRate: number }
  | { readonly algorithm: 'concurrency'; readonly limit: number; readonly leaseMs: number };

/** How messages travel between a process and a server. */
export interface NetworkSetup {
  /** The shortest and the longest time of a message on its way, in milliseconds. */
  readonly delayMs: readonly [least: number, most: number];
  /** The part of messages that takes up to `slowMs` instead. */
  readonly slow: number;
  readonly slowMs: number;
  /** The part of messages on which the connection breaks: the message is lost, and both sides notice. */
  readonly breaks: number;
  /** The part of messages that arrive twice. Only a table's: a connection to a Redis is a stream. */
  readonly twice: number;
}

/** Something that happens at a moment of the run. */
export type Step = CallStep | FaultStep;

interface At {
  /** Virtual milliseconds since the beginning. */
  readonly atMs: number;
}

/** What the application asks of a limiter in a process. */
export type CallStep = At &
  (
    | (Spend & {
        readonly call: 'consume';
        /** How many calls there are in the same moment. Default: 1. */
        readonly times?: number;
      } & Operation)
    | (Spend & { readonly call: 'peek' })
    | (Spend &
        Operation & {
          readonly call: 'reserve';
          /** Names the reservation for later steps. A number that no other step of the tape has. */
          readonly as: number;
          readonly expiresMs?: number;
          readonly onExpiry?: 'keep' | 'giveBack';
        })
    /** Waits for its turn, and then holds a reservation. */
    | (Spend & { readonly call: 'wait'; readonly as: number; readonly maxWaitMs: number })
    /** Work in a line, which holds its slots for `worksForMs`. */
    | (Spend & { readonly call: 'run'; readonly worksForMs: number; readonly maxWaitMs: number })
    | (Of & { readonly call: 'settle'; readonly actual: number })
    | (Of & { readonly call: 'cancel' | 'release' })
    /** Hands the charge of a reservation over, as data. */
    | (Of & { readonly call: 'share'; readonly as: number; readonly expiresMs: number })
    /** Corrects a charge that was shared, maybe in another process. Without `actual`, it gives all back. */
    | { readonly call: 'correct'; readonly process: number; readonly charge: number; readonly actual?: number }
    | (Spend & { readonly call: 'charge' | 'refund' })
    | (By & { readonly call: 'reset' | 'unblock' })
    | (By & { readonly call: 'block'; readonly forMs: number })
    /** A client alone with its key, which asks again when it was told to, this many times. */
    | (Spend & { readonly call: 'obey'; readonly times: number })
    | ModelCall
    /** Looks at what the limits of a plan count for a subject. */
    | { readonly call: 'model-look'; readonly process: number; readonly plan: number; readonly subject: number }
    /** Puts another variant of a policy into force in this process. */
    | { readonly call: 'replace'; readonly process: number; readonly policy: number; readonly variant: number }
    /** Closes the stores of a process, which then ends. */
    | { readonly call: 'close'; readonly process: number }
  );

/** A call of a language model: it is reserved, its answer is followed as it comes, and what it used is settled. */
export interface ModelCall {
  readonly call: 'model-call';
  readonly process: number;
  /** An index into the plans. */
  readonly plan: number;
  readonly subject: number;
  readonly dialect: 'openai-chat' | 'openai-responses' | 'anthropic-messages';
  /** The tokens of the prompt, as the provider counts them. */
  readonly inputTokens: number;
  /** The cap of the caller. Absent: it states none. */
  readonly maxOutput?: number;
  /** What the model would write without a cap. */
  readonly outputTokens: number;
  /** The answer comes at its end, in one piece, and not as a stream. */
  readonly isWhole?: true;
  /** The tokens of a stored conversation, which the provider counts beside the prompt. Of OpenAI's responses alone. */
  readonly unseenTokens?: number;
  /**
   * The provider works in the background, and this process fetches the answer so long after its request was answered. Of a whole answer of
   * OpenAI's responses that ends as `complete`.
   */
  readonly fetchedAfterMs?: number;
  readonly takesMs: number;
  readonly ends: ModelCallEnd;
  /** A second word about the end, which comes too late: of another part of the application. */
  readonly endsAgain?: 'complete' | 'broken' | 'refused' | 'unsent' | 'abandoned';
}

/**
 * How a call of a model ends. `'complete'`: with a stated usage. `'broken'`: in the middle of the answer. `'refused'`: the provider
 * answers with an error. `'unsent'`: the provider is not reached. `'no-usage'`: the answer is whole, but states no usage.
 * `'wrong-usage'`: the usage makes no sense. `'client-leaves'`: when the usage has been stated, and not read to the end.
 * `'never'`: the application forgets it.
 */
type ModelCallEnd =
  | 'complete'
  | 'broken'
  | 'refused'
  | 'unsent'
  | 'no-usage'
  | 'wrong-usage'
  | 'client-leaves'
  | 'never';

interface By {
  readonly process: number;
  /** An index into the policies. */
  readonly policy: number;
  /** A number that names the subject: `s0`, `s1` ... */
  readonly subject: number;
}

interface Spend extends By {
  readonly cost: number;
}

interface Operation {
  /** Names the operation, so that the call can be repeated by another step with the same id. */
  readonly id?: string;
  readonly rememberMs?: number;
}

interface Of {
  /** The reservation of an earlier step, by its `as`. */
  readonly of: number;
}

/** What goes wrong, or comes right again by itself after `forMs`. */
export type FaultStep = At &
  /** The process is gone at once. Nothing of it runs any more. */
  (
    | { readonly fault: 'crash'; readonly process: number }
    /** A process that ended begins anew, with new stores, maybe with another version of the code or of the policies. */
    | { readonly fault: 'start'; readonly process: number; readonly code?: number; readonly variant?: number }
    /** The event loop of a process stands still. */
    | { readonly fault: 'stall'; readonly process: number; readonly forMs: number }
    /** The clock of a server is set. */
    | { readonly fault: 'set-clock'; readonly server: number; readonly byMs: number }
    /** The server answers nobody, and then all that has come meanwhile. */
    | { readonly fault: 'freeze'; readonly server: number; readonly forMs: number }
    /** The server ends at once, and comes back with what it kept. */
    | { readonly fault: 'restart'; readonly server: number; readonly forMs: number; readonly keeps: 'all' | 'nothing' }
    /** A replica takes over which has not seen the last `lagMs` of writes. */
    | { readonly fault: 'fail-over'; readonly server: number; readonly forMs: number; readonly lagMs: number }
    | { readonly fault: 'flush' | 'forget-scripts'; readonly server: number }
    /** The server loses one key; `pick` says which, as a part from 0 to 1 of its sorted keys. */
    | { readonly fault: 'lose-key'; readonly server: number; readonly pick: number }
    /** The server has no memory left: it refuses writes, or throws keys away. */
    | {
        readonly fault: 'fill';
        readonly server: number;
        readonly forMs: number;
        readonly policy: 'noeviction' | 'evict';
      }
    /** No message passes between a process and a server. `'silent'`: nobody notices. `'broken'`: connections break. */
    | {
        readonly fault: 'cut';
        readonly process: number;
        readonly server: number;
        readonly forMs: number;
        readonly how: 'silent' | 'broken';
      }
    /** Messages between a process and a server take so much longer: those that are sent to one of them, or to both. */
    | {
        readonly fault: 'lag';
        readonly process: number;
        readonly server: number;
        readonly forMs: number;
        readonly moreMs: number;
        readonly to: 'server' | 'process' | 'both';
      }
  );

/** Returns the numbers of the servers on which a store keeps something. */
export function serversOf(store: StoreSetup): readonly number[] {
  switch (store.kind) {
    case 'memory':
      return [];
    case 'sharded':
      return store.nodes.flatMap(serversOf);
    case 'leased':
    case 'synced':
      return serversOf(store.of);
    default:
      return [store.server];
  }
}
