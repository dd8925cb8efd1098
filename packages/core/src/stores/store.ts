import type { Edges } from '../values/calendar.js';
import type { Clock } from '../values/clock.js';
import type { Verdict } from '../values/decision.js';
import type { Limit } from '../values/limit.js';
import type { Keyspace } from './keyspace.js';

/** An answer, given at once where `Async` is false, as a promise where it is true; either where it is not known. */
export type Answer<T, Async extends boolean = boolean> = Async extends true ? Promise<T> : T;

/** One question about one limit. */
export interface Check {
  /** The policy's name. */
  readonly policy: string;
  /** The limit's name. The store composes its own key of format version, algorithm, policy, name and `key`. */
  readonly name: string;
  /** Who is counted: the subject's key, encoded. */
  readonly key: string;
  readonly limit: Limit;
  /** Units asked for: a safe integer of at least 0. In a Change it is signed: negative gives back. */
  readonly cost: number;
  /** Asked and answered, but never a reason to refuse the request. */
  readonly shadow?: true;
  /** For a calendar limit: four consecutive interval starts around the caller's time. */
  readonly edgesMs?: Edges;
}

/** Questions that are answered together: all of the checks that are not shadows are spent, or none. */
export interface Ask {
  /** No two of them with the same policy, name and key. */
  readonly checks: readonly Check[];
  /** Answer as if, and write nothing. */
  readonly peek?: true;
  /** Names the slot on every concurrency check; needed there, and not empty, unless this is a look. */
  readonly id?: string;
  /** With `id`: a repeat within this time gets the first answer and is charged nothing. */
  readonly holdMs?: number;
  /**
   * Only concurrency checks, same `id`, each for itself: a held slot gets a new lease; a lapsed one is taken anew if
   * there is room.
   */
  readonly renew?: true;
  /** Take what fits on every check, from this many units up to the cost; the reply says how many were `taken`. */
  readonly atLeast?: number;
  /**
   * Store time after which nothing is charged: a later answer is an error, `SLUICE_STORE`, that tells the store's time in
   * `atMs`. Of several servers, the time of the one that decides.
   */
  readonly notAfterMs?: number;
}

/** The answer to an Ask. */
export interface Reply {
  /** The store's time of this answer; where several steps decided, the latest of theirs. */
  readonly atMs: number;
  /**
   * Where several steps decided, by clocks or at moments that differ: the store's time of each check, in their order.
   * Undefined for one that was not charged, since its part of the store did not answer: it stands as allowed, and there is
   * nothing to give back. Absent: `atMs` holds for all.
   */
  readonly timesMs?: readonly (number | undefined)[];
  /** Whether all checks that are not shadows allow it, so that all were spent; of a look, whether they would. */
  readonly allowed: boolean;
  /** In the order of the checks. */
  readonly verdicts: readonly Verdict[];
  /** With `atLeast`: the units spent on every check. */
  readonly taken?: number;
  /**
   * The store's time is outside the edges of a calendar check: nothing was charged; ask again with edges around `atMs`.
   */
  readonly outsideEdges?: true;
}

/** What one check is charged or given back after the fact. */
export interface Correction extends Check {
  /** The store's time of this check's charge, where it is not the Change's: from `Reply.timesMs`. */
  readonly atMs?: number;
}

/** A correction of an earlier charge, each check for itself, with signed costs. */
export interface Change {
  readonly checks: readonly Correction[];
  /** That charge's `Reply.atMs`, of each check that has no time of its own; absent: the newest units are given back first. */
  readonly atMs?: number;
  /**
   * At most one change with this id is made; it is remembered while the charge counts, at most a day. Also names the
   * slot to free.
   */
  readonly id?: string;
  /** Store time after which nothing is changed: a later answer is `'expired'`. */
  readonly notAfterMs?: number;
}

/**
 * What became of a Change: `'expired'` when nothing of it counted any more, or it came after its `notAfterMs`;
 * `'repeated'` when one with its id was made before; `'outside-edges'` when the store's time is outside the edges of a
 * calendar check: nothing was changed; ask again with edges around the reply's `atMs`.
 */
export type ChangeResult = 'applied' | 'repeated' | 'expired' | 'outside-edges';

/** The answer to a Change. */
export interface ChangeReply {
  /** The store's time of this answer. */
  readonly atMs: number;
  readonly result: ChangeResult;
  /**
   * In the order of the checks, whatever the result: how each limit stands after the change, as a look at a cost of 1
   * would say it in the same step. Their `cost` is therefore 1. None when the result is `'outside-edges'`.
   */
  readonly verdicts: readonly Verdict[];
}

/** What a reset forgets: this key under this name, in every algorithm, blocks and slots included. */
export type Target = Pick<Check, 'policy' | 'name' | 'key'>;

/** What a store can do; its suite asks no more of it. */
export interface Capabilities {
  /** Checks with different keys, too, are spent together or not at all. */
  readonly atomicAcrossKeys: boolean;
  /** The algorithms that it takes; absent: all. Questions about another fail with `SLUICE_UNSUPPORTED`. */
  readonly algorithms?: readonly Limit['algorithm'][];
  /**
   * False: its answers may be those of a stricter limit, or of a moment ago, and its own worst case says how much it
   * admits. Absent: they are the limits' own.
   */
  readonly exact?: false;
}

/** A limit of a policy, as far as it is known before a request asks. */
export interface LimitOutline {
  /** The limit's name. */
  readonly name: string;
  /** Undefined where a function chooses it for each request. */
  readonly limit: Limit | undefined;
  /** Undefined where a function chooses the limit, and may choose any. */
  readonly algorithm: Limit['algorithm'] | undefined;
  /** Undefined where a function says it for each request. */
  readonly cost: number | undefined;
}

/** A policy, as far as it is known before a request asks. */
export interface PolicyOutline {
  /** The policy's name. */
  readonly name: string;
  readonly limits: readonly LimitOutline[];
}

/**
 * Where a store of several servers decides about a key. It lets each server have a deadline, a breaker and an estimate of
 * its time of its own, so that one which fails takes no other's keys with it.
 */
export interface Placement {
  /** Names all that one step reaches together with this key; the same at all times. */
  groupOf(target: Target): string;
  /** Names the server that decides about this key now; undefined while that is not known. */
  nodeOf(target: Target): string | undefined;
  /**
   * Called several times a second while a server that has keys does not answer: asks the others who has them now, if nothing
   * else would tell.
   */
  refresh?(): void;
}

/** The limit that a fast path decides by. */
export type SingleLimit = Pick<Check, 'policy' | 'name' | 'limit'>;

/**
 * Decides about one key after another by one limit. Each decision is the one that `consume` makes of an Ask with this one
 * check and nothing else, without the Ask and the Reply.
 */
export interface SingleLimitFastPath {
  /** The store's time of the decision that `consume` returned last. */
  readonly atMs: number;
  /**
   * Decides and spends.
   *
   * @param key - the subject's key, encoded
   */
  consume(key: string, cost: number): Verdict;
}

/**
 * Where states live and decisions are atomic: the contract for authors of stores. Its suite is `storeSuite` of
 * `@sluice/core/testing`; a store that passes it works under every limiter.
 */
export interface Store<Async extends boolean = boolean> {
  /** Whether its methods return promises: always or never. */
  readonly async: Async;
  /** Drives everything above this store, too. */
  readonly clock: Clock;
  readonly supports: Capabilities;
  /**
   * Present on a store that is asked over a network: how long it may take, and how many instances of the application
   * share it. `trouble` says why it cannot answer now, if it knows: the error of what is late repeats it.
   */
  readonly remote?: {
    readonly timeoutMs: number;
    readonly instances: number;
    readonly trouble?: () => string | undefined;
    /** Present where several servers decide, each about some of the keys. */
    readonly placement?: Placement;
  };
  /**
   * True on a store that ends each question at its deadline and does not ask a server that is gone. So a limiter puts no
   * deadline and no breaker before it. Stores in front of others say so; a store that asks a server by itself leaves it out.
   */
  readonly selfProtection?: true;
  /**
   * Where it counts, if another store may count in the same place; a store before others shows theirs. Absent: in a place
   * of its own.
   */
  readonly keyspaces?: readonly Keyspace[];
  /**
   * Present on a store that cannot count every policy: called when a policy is made on it, before anything is asked. So a
   * mistake shows at once. `consume` refuses what it cannot count as well, since functions of the policy choose later.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED`
   */
  accept?(policy: PolicyOutline): void;
  /**
   * Decides and spends in one atomic step.
   *
   * @throws SluiceError `SLUICE_STORE` after `notAfterMs`, `SLUICE_UNSUPPORTED` for a concurrency check without `id` that is
   * no look
   */
  consume(ask: Ask): Answer<Reply, Async>;
  /**
   * Optional, and only worth its code in a store that answers at once: the fast path of a limit that is neither a
   * calendar's nor one of concurrency. A limiter asks for it when a policy is made that needs nothing else. It uses the
   * fast path only while `consume` is the same function, so that a wrapped `consume` is always obeyed. Return undefined
   * where a class that extends yours overrides `consume`.
   */
  fastPath?(limit: SingleLimit): SingleLimitFastPath | undefined;
  /**
   * Present on a store that knows some answers without asking: as `consume`, but gives these at once. A limiter prefers it.
   */
  consumeOrRecall?(ask: Ask): Reply | Answer<Reply, Async>;
  /** Corrects an earlier charge, and says how things stand then. Positive costs are recorded even past the limit. */
  adjust(change: Change): Answer<ChangeReply, Async>;
  /**
   * Forgets, and answers how many states it forgot: one per algorithm under which a target was counted, 0 for what it
   * never knew. A store may count a state that no longer matters and that it has not dropped yet.
   */
  reset(targets: readonly Target[]): Answer<number, Async>;
  /**
   * Stops timers, closes its keyspace, and refuses further calls with `SLUICE_CLOSED`. Never closes a client that the user
   * made.
   */
  close(): Answer<void, Async>;
}
