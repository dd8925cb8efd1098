import {
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import type { LimitNumbers, LimitSetup, PolicySetup, Setup, StoreSetup } from '../tape/tape.js';
import { PAUSE_MS, TRIPS_TO_REDIS } from './stated-times.js';

/** What the documentation promises about a tree of stores depends on this much of it. */
interface StoreFacts {
  /** Each process counts by itself. */
  readonly isMemory: boolean;
  readonly isSharded: boolean;
  readonly hasTable: boolean;
  readonly hasRedis: boolean;
  /** How many nodes one request may need: a subject and everyone may be on two. */
  readonly nodesAsked: number;
  /** The longest of the tree. 0: no store has a deadline. */
  readonly timeoutMs: number;
  /** The fewest that a store of the tree was told of: the shares of a limit are then the largest. */
  readonly instances: number;
  /** The longest lease of a leased store; 0: there is none. */
  readonly leaseMs: number;
  /** The longest interval of a synced store; 0: there is none. */
  readonly syncMs: number;
  readonly slice: number;
}

/** A limit of one variant of a policy. */
export interface LimitFacts {
  readonly name: string;
  readonly setup: LimitSetup;
  readonly numbers: LimitNumbers;
  readonly algorithm: LimitNumbers['algorithm'];
  readonly limit: Limit;
  readonly quota: number;
  readonly isEnforced: boolean;
  /** The units of its tolerance. */
  readonly margin: number;
  /** The length of its window; of a bucket that never refills, how long it is kept. 0: it has none. */
  readonly windowMs: number;
  /** Units per second that a bucket refills or leaks. */
  readonly rate: number;
  readonly blockMs: number;
  readonly countsRefusals: boolean;
  /**
   * Whether it is settled with the others. A limit with a cost of its own is not, unless all limits of its variant have one: then the
   * amounts are stated limit by limit.
   */
  readonly isSettled: boolean;
  /** Whether it is, for a process in which some variant of the policy is in force. */
  readonly maySettle: boolean;
  /** A key that nobody used for so long is fresh. */
  readonly freshAfterMs: number;
}

export interface PolicyFacts {
  readonly index: number;
  readonly name: string;
  readonly setup: PolicySetup;
  readonly variants: readonly (readonly LimitFacts[])[];
  readonly hasSlots: boolean;
  /** A limit blocks whom it refuses. */
  readonly hasBlocks: boolean;
  /** Its limits count by subjects and by everyone. */
  readonly isMixed: boolean;
  /** The largest cost that a limit has of its own. */
  readonly largestOwnCost: number;
  /** By the name of a limit: a key that nobody used for so long is fresh, in whatever variant. */
  readonly freshAfterMs: ReadonlyMap<string, number>;
}

/** A client of Redis with the settings of our page leaves a server that is silent for so long, and sends its calls again. */
const SOCKET_TIMEOUT_MS = 400;

/** What is known of a run before its first step. */
export class SetupFacts {
  readonly setup: Setup;
  readonly store: StoreFacts;
  readonly policies: readonly PolicyFacts[];
  /** The longest time of a message that is not lost. */
  readonly mostDelayMs: number;
  /** Messages are neither lost nor sent twice, as long as there is no fault. */
  readonly keepsMessages: boolean;
  /** As long as there is no fault, messages are so quick that no call is late because of them. */
  readonly isQuick: boolean;
  /**
   * "If another instance changes all these keys before the store has read again, the decision is made twice": a database that gets a
   * write twice answers the second time that it changed nothing (packages/core/docs/writing-a-store.md).
   */
  readonly mayChargeTwice: boolean;
  /** As long as there is no fault, whatever is asked is answered in time: nobody is overtaken, and messages are quick. */
  readonly isPrompt: boolean;
  /** As long as there is no fault, a renewal is answered in time. */
  readonly canRenew: boolean;
  /** How long a renewal takes at most, if it is answered: it takes one call, and over a table it may wait for another one under way. */
  readonly #renewalMs: number;
  /** By how much the clock of a server and the world's differ within a time, at most: a part of it. */
  readonly drift: number;
  /** How much later a process knows what others admitted from their slices. */
  readonly knownLaterMs: number;
  /** Processes renew slots, at times that nobody sees. */
  readonly hasSlots: boolean;
  readonly #byName: ReadonlyMap<string, PolicyFacts>;

  constructor(setup: Setup) {
    const { delayMs, slow, slowMs, breaks, twice } = setup.network;
    this.setup = setup;
    this.policies = setup.policies.map(policyFacts);
    this.store = withPlans(storeFacts(setup.store, this.policies), setup);
    const farthestMs = delayMs[1] + Math.max(0, ...setup.servers.map(({ farMs = 0 }) => farMs));
    this.mostDelayMs = slow > 0 ? Math.max(farthestMs, slowMs) : farthestMs;
    const leavesServers = this.store.hasRedis && 2 * this.mostDelayMs >= SOCKET_TIMEOUT_MS;
    this.keepsMessages = this.store.isMemory || (breaks === 0 && !leavesServers);
    const isCrowded = this.store.hasTable && setup.processes.length > 1;
    this.mayChargeTwice = isCrowded && twice > 0;
    this.isQuick = this.isQuickWithin(this.store.timeoutMs);
    this.isPrompt = this.store.isMemory || (this.keepsMessages && !isCrowded && this.isQuick);
    this.#renewalMs = this.store.isMemory
      ? 0
      : (this.store.hasTable ? 8 : 4) * this.mostDelayMs * this.store.nodesAsked;
    this.canRenew = this.store.isMemory || (this.keepsMessages && this.#renewalMs < this.store.timeoutMs);
    this.drift = Math.max(0, ...setup.servers.map(({ driftPpm }) => Math.abs(driftPpm ?? 0) / 1e6));
    const { leaseMs, syncMs, timeoutMs } = this.store;
    this.knownLaterMs = leaseMs + syncMs === 0 ? 0 : 3 * (leaseMs + syncMs) + 2 * timeoutMs + PAUSE_MS;
    this.hasSlots = this.policies.some((policy) => policy.hasSlots) || hasPlannedSlots(setup);
    this.#byName = new Map(this.policies.map((policy) => [policy.name, policy]));
  }

  /**
   * Whether a lease goes on, as long as there is no fault: it begins when a server grants it, and a third of it after the answer the
   * process asks for the next one.
   */
  keepsLease(leaseMs: number): boolean {
    return this.canRenew && this.mostDelayMs + this.#renewalMs < (2 * leaseMs) / 3;
  }

  /** Like `isQuick`, for a decision that may take so long. */
  isQuickWithin(timeoutMs: number): boolean {
    return TRIPS_TO_REDIS * 2 * this.mostDelayMs * this.store.nodesAsked < timeoutMs;
  }

  policy(name: string): PolicyFacts | undefined {
    return this.#byName.get(name);
  }
}

/** The limits of a plan count by subjects, and those that all share by everyone. */
function withPlans(store: StoreFacts, { plans = [] }: Setup): StoreFacts {
  const isMixed = store.isSharded && plans.some(({ together }) => together !== undefined);
  return isMixed ? { ...store, nodesAsked: 2 } : store;
}

function hasPlannedSlots({ plans = [] }: Setup): boolean {
  return plans.some(({ limits, together }) => (limits.parallel ?? together?.parallel) !== undefined);
}

/** What holds for a store in memory, and is not said of another one. */
const IN_MEMORY: StoreFacts = {
  isMemory: true,
  isSharded: false,
  hasTable: false,
  hasRedis: false,
  nodesAsked: 1,
  timeoutMs: 0,
  instances: Number.POSITIVE_INFINITY,
  leaseMs: 0,
  syncMs: 0,
  slice: 0,
};

function storeFacts(store: StoreSetup, policies: readonly PolicyFacts[]): StoreFacts {
  switch (store.kind) {
    case 'memory':
      return IN_MEMORY;
    case 'redis':
    case 'table': {
      const { timeoutMs, instances } = store;
      const servers = { hasTable: store.kind === 'table', hasRedis: store.kind === 'redis' };
      return { ...IN_MEMORY, isMemory: false, ...servers, timeoutMs, instances };
    }
    case 'leased':
      return { ...storeFacts(store.of, policies), leaseMs: store.leaseMs };
    case 'synced':
      return { ...storeFacts(store.of, policies), syncMs: store.syncMs, slice: store.slice };
    case 'sharded': {
      const nodes = store.nodes.map((node) => storeFacts(node, policies));
      const most = (of: (node: StoreFacts) => number) => Math.max(...nodes.map(of));
      return {
        isMemory: nodes.every(({ isMemory }) => isMemory),
        isSharded: true,
        hasTable: nodes.some(({ hasTable }) => hasTable),
        hasRedis: nodes.some(({ hasRedis }) => hasRedis),
        nodesAsked: policies.some(({ isMixed }) => isMixed) ? 2 : 1,
        timeoutMs: most(({ timeoutMs }) => timeoutMs),
        instances: Math.min(...nodes.map(({ instances }) => instances)),
        leaseMs: most(({ leaseMs }) => leaseMs),
        syncMs: most(({ syncMs }) => syncMs),
        slice: most(({ slice }) => slice),
      };
    }
  }
}

function policyFacts(setup: PolicySetup, index: number): PolicyFacts {
  const ownCosts = setup.variants.map((limits) => limits.every(({ cost }) => cost !== undefined));
  const variants = setup.variants.map((limits, i) =>
    limits.map((limit) => {
      const isShared = limit.cost === undefined;
      const settled = { isSettled: isShared || ownCosts[i] === true, maySettle: isShared || ownCosts.includes(true) };
      return { ...limitFacts(limit), ...settled };
    }),
  );
  const all = variants.flat();
  return {
    index,
    name: setup.name,
    setup,
    variants,
    hasSlots: all.some(({ algorithm }) => algorithm === 'concurrency'),
    hasBlocks: all.some(({ blockMs }) => blockMs > 0),
    largestOwnCost: Math.max(0, ...all.map((limit) => limit.setup.cost ?? 0)),
    freshAfterMs: new Map(all.map(({ name }) => [name, longestFreshAfterMs(all, name)])),
    isMixed: new Set(all.map((limit) => limit.setup.by)).size > 1 || all.some((limit) => limit.setup.guarantee),
  };
}

/** Leases of a process that ended, and the estimates of clocks, end that much later. */
const LATE_MS = 61_000;

function longestFreshAfterMs(limits: readonly LimitFacts[], name: string): number {
  return LATE_MS + Math.max(...limits.filter((limit) => limit.name === name).map((limit) => limit.freshAfterMs));
}

/** "A bucket that never refills is forgotten `keepFor` (30 days) after its last use." */
const KEPT_FOR_MS = 30 * 24 * 3_600_000;

function limitFacts(setup: LimitSetup): Omit<LimitFacts, 'isSettled' | 'maySettle'> {
  const numbers = setup.limit;
  const limit = limitOf(numbers);
  const windowMs = windowOf(numbers);
  const rate = 'refillRate' in numbers ? numbers.refillRate : 'leakRate' in numbers ? numbers.leakRate : 0;
  const blockMs = ('blockMs' in numbers && numbers.blockMs) || 0;
  const quota = 'capacity' in numbers ? numbers.capacity : numbers.limit;
  return {
    name: setup.name,
    setup,
    numbers,
    algorithm: numbers.algorithm,
    limit,
    quota,
    isEnforced: setup.enforce !== 0,
    // A part of a limit may be a little below a whole number, because of the fractions of a computer.
    margin: Math.min(quota, Math.floor(quota * (setup.tolerance ?? 0) + 1e-6)),
    windowMs,
    rate,
    blockMs,
    countsRefusals: 'countRejected' in numbers && numbers.countRejected !== undefined,
    freshAfterMs: freshAfterMs(numbers, windowMs),
  };
}

function windowOf(numbers: LimitNumbers): number {
  if ('windowMs' in numbers) return numbers.windowMs;
  if (numbers.algorithm === 'token-bucket' && numbers.refillRate === 0) return numbers.keepForMs ?? KEPT_FOR_MS;
  return numbers.algorithm === 'concurrency' ? numbers.leaseMs : 0;
}

function freshAfterMs(numbers: LimitNumbers, windowMs: number): number {
  const blockMs = ('blockMs' in numbers && numbers.blockMs) || 0;
  switch (numbers.algorithm) {
    // Slots are held as long as their process renews them.
    case 'concurrency':
      return Number.POSITIVE_INFINITY;
    case 'leaky-bucket':
      return (4 * numbers.capacity * 1000) / numbers.leakRate;
    case 'token-bucket':
      return blockMs + (numbers.refillRate === 0 ? 2 * windowMs : (4 * numbers.capacity * 1000) / numbers.refillRate);
    default:
      return blockMs + 2 * windowMs;
  }
}

/** Makes the limit of these numbers by its public constructor. */
export function limitOf(numbers: LimitNumbers): Limit {
  switch (numbers.algorithm) {
    case 'sliding-window':
      return slidingWindow({ limit: numbers.limit, window: `${numbers.windowMs}ms` });
    case 'sliding-window-log':
      return slidingWindowLog({ limit: numbers.limit, window: `${numbers.windowMs}ms` });
    case 'sliding-window-counter':
      return slidingWindowCounter({ limit: numbers.limit, window: `${numbers.windowMs}ms` });
    case 'fixed-window':
      return fixedWindow({
        limit: numbers.limit,
        window: `${numbers.windowMs}ms`,
        align: numbers.align ?? 'first-request',
      });
    case 'token-bucket': {
      const { capacity, refillRate, keepForMs } = numbers;
      return tokenBucket({ capacity, refillRate, ...(keepForMs !== undefined && { keepFor: keepForMs }) });
    }
    case 'leaky-bucket':
      return leakyBucket({ capacity: numbers.capacity, leakRate: numbers.leakRate });
    case 'concurrency':
      return concurrency({ limit: numbers.limit, lease: numbers.leaseMs });
  }
}

/** Returns what a request of some cost spends on a limit. */
export function costOn({ setup }: LimitFacts, cost: number): number {
  return setup.cost ?? cost;
}
