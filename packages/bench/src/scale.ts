import { type CampaignOptions, FULL } from './overload/campaign.js';

/**
 * How long a contender does its own work before it is measured, in milliseconds. New code runs slowly at first, and V8's
 * compilers work on it for seconds of calls, the longer the more code there is. Their threads are threads of the process,
 * and count as its processor time. `packages/bench/docs/measuring.md` shows how the figures fall.
 */
interface WarmUpMs {
  /** Of decisions in a process, and of other work that waits for nothing. */
  readonly inProcess: number;
  /** Of one caller of Redis, who waits for most of the time. */
  readonly oneCaller: number;
  /** Of many callers of Redis, who make as many calls in a tenth of the time, after one caller has warmed up most of the code. */
  readonly manyCallers: number;
  /** Of a server that is asked by all connections. */
  readonly http: number;
}

/** How much of everything, for how long. */
export interface Scale {
  /** Whether everyone who is measured has a process of its own. */
  readonly hasProcesses: boolean;
  /** First calls and rare calls are measured without it. */
  readonly warmUpMs: WarmUpMs;
  /**
   * How many processes each contender has in turn, where it works without waiting: the compiler may optimize the same code
   * better in one process than in another.
   */
  readonly processes: number;
  /** Of each contender, in all its processes together. */
  readonly rounds: number;
  /** How many times `--against` measures a process of each checkout. */
  readonly pairs: number;
  /** At least; in a round of one contender in process. */
  readonly decisions: number;
  /** How much of the processor such a round is to have. */
  readonly roundMs: number;
  /** So few decisions that what they allocate is not collected while it is counted. */
  readonly allocations: number;
  readonly uniformKeys: number;
  readonly zipfKeys: number;
  /** Already counted in the window of the key that the decisions are about. */
  readonly hitsInWindow: number;
  readonly liveKeys: number;
  readonly expiringKeys: number;
  readonly expiryWindowMs: number;
  /** How many processes of each contender have keys that expire: the longest turn of one may be by chance. */
  readonly expiryProcesses: number;
  readonly attackKeys: number;
  readonly attackMs: number;
  /** Of `growth`. */
  readonly growth: {
    readonly keys: readonly number[];
    /** Decisions about any of them. */
    readonly asked: number;
    readonly keyLengths: readonly number[];
    readonly policies: readonly number[];
  };
  /** How many ask Redis at once. */
  readonly callers: readonly number[];
  /** How many processes are started for each contender, to see their first calls. */
  readonly freshProcesses: number;
  /** Of each contender, one in a tenth of a second. */
  readonly rareCalls: number;
  /** Of `starts`: of each contender, so many processes start, and so many others rest for so long. */
  readonly starts: { readonly processes: number; readonly restMs: number; readonly rests: number };
  /** Of one round of one contender over Redis. */
  readonly redisMs: number;
  /** Of `fleet`, in which time passes by the clock. */
  readonly fleet: { readonly rounds: number; readonly ms: number };
  readonly clients: number;
  readonly connections: number;
  /** Requests of one round of one server. */
  readonly requests: number;
  /** For `http`, whose differences are small: many short rounds, so that a neighbour disturbs few of them. */
  readonly http: { readonly rounds: number; readonly requests: number };
  readonly overload: CampaignOptions;
}

/** How long so many callers of Redis warm up. */
export function warmUpMsOfCallers({ warmUpMs }: Scale, callers: number): number {
  return callers === 1 ? warmUpMs.oneCaller : warmUpMs.manyCallers;
}

/** One run without the quota. */
const ONE_RUN = { heldHosts: [], runs: 1, peerRuns: 1 };

const short: Scale = {
  hasProcesses: true,
  warmUpMs: { inProcess: 700, oneCaller: 3_000, manyCallers: 500, http: 3_000 },
  processes: 3,
  rounds: 12,
  pairs: 5,
  decisions: 1_000,
  roundMs: 50,
  allocations: 10_000,
  uniformKeys: 100_000,
  zipfKeys: 1_000_000,
  hitsInWindow: 10_000,
  liveKeys: 1_000_000,
  expiringKeys: 1_000_000,
  expiryWindowMs: 4_000,
  expiryProcesses: 5,
  attackKeys: 5_000_000,
  attackMs: 30_000,
  growth: {
    keys: [10_000, 100_000, 1_000_000, 10_000_000],
    asked: 300_000,
    keyLengths: [36, 128, 1_024],
    policies: [1, 8, 64],
  },
  callers: [1, 64, 256],
  freshProcesses: 7,
  rareCalls: 150,
  starts: { processes: 15, restMs: 10_000, rests: 5 },
  redisMs: 250,
  fleet: { rounds: 3, ms: 4_000 },
  clients: 10_000,
  connections: 50,
  requests: 4_000,
  http: { rounds: 21, requests: 1_000 },
  overload: { ...FULL, ...ONE_RUN },
};

/** By name: to see that everything runs, for a first look, to compare within minutes, and for figures of many rounds. */
export const SCALES = {
  tiny: {
    ...short,
    hasProcesses: false,
    warmUpMs: { inProcess: 0, oneCaller: 0, manyCallers: 0, http: 0 },
    processes: 1,
    rounds: 1,
    pairs: 1,
    decisions: 50,
    roundMs: 0,
    allocations: 50,
    uniformKeys: 50,
    zipfKeys: 50,
    hitsInWindow: 10,
    liveKeys: 50,
    expiringKeys: 50,
    expiryWindowMs: 100,
    expiryProcesses: 1,
    attackKeys: 200,
    growth: { keys: [50], asked: 50, keyLengths: [36, 40], policies: [1, 2] },
    callers: [2],
    freshProcesses: 1,
    rareCalls: 1,
    starts: { processes: 1, restMs: 0, rests: 1 },
    redisMs: 5,
    fleet: { rounds: 1, ms: 20 },
    clients: 10,
    connections: 2,
    requests: 20,
    http: { rounds: 1, requests: 20 },
    overload: {
      ...FULL,
      hosts: ['Fastify'],
      handlers: ['sync'],
      protections: ['shedLoad'],
      loads: [0.5, 3],
      length: 0.3,
      ...ONE_RUN,
    },
  },
  brief: {
    ...short,
    warmUpMs: { inProcess: 200, oneCaller: 1_000, manyCallers: 200, http: 1_000 },
    processes: 1,
    rounds: 3,
    pairs: 3,
    roundMs: 15,
    expiryWindowMs: 2_000,
    attackKeys: 1_000_000,
    freshProcesses: 3,
    rareCalls: 30,
    starts: { processes: 5, restMs: 10_000, rests: 1 },
    redisMs: 60,
    growth: { ...short.growth, keys: [10_000, 1_000_000], asked: 30_000 },
    fleet: { rounds: 1, ms: 3_000 },
    clients: 2_000,
    http: { rounds: 5, requests: 500 },
  },
  short,
  full: {
    ...short,
    processes: 7,
    rounds: 35,
    pairs: 11,
    roundMs: 200,
    expiryWindowMs: 10_000,
    freshProcesses: 21,
    rareCalls: 600,
    starts: { processes: 51, restMs: 10_000, rests: 11 },
    redisMs: 1_000,
    fleet: { rounds: 7, ms: 10_000 },
    requests: 20_000,
    http: { rounds: 51, requests: 4_000 },
    overload: FULL,
  },
} as const satisfies Readonly<Record<string, Scale>>;
