import type { CalendarBounds } from '../values/calendar.js';
import type { Clock } from '../values/clock.js';
import type { Verdict } from '../values/decision.js';
import type { Eventual } from '../values/eventual.js';
import type { Limit } from '../values/limit.js';
import type { Blocks } from './blocks.js';
import type { Keyspace } from './keyspace.js';
import type { Answer, Target } from './target.js';

export type { Answer, Target };

/** One limit, one key and one cost: what a store decides about. */
export interface LimitCheck extends Target {
  /** The limit as it is for this request. */
  readonly limit: Limit;
  /** Units: a safe integer of at least 0. In a Change it has a sign: a negative cost gives units back. */
  readonly cost: number;
  /**
   * Units by which this request may pass the limit or, if negative, units that it has to leave to others: a whole number
   * from `-quota` to `quota`. Default: 0. The limit admits the request if `cost <= quota` and `cost <= available + margin`.
   * The verdict computes `remaining` and `retryAfterMs` from `available + min(0, margin)`: a positive margin is not
   * advertised, so it shortens no wait.
   */
  readonly margin?: number;
  /** The check is decided and reported, but it never refuses the request. */
  readonly shadow?: true;
  /** Present if parts of this limit are guaranteed. The store decides about it and its parts in one step. */
  readonly parts?: GuaranteedParts;
  /** For a calendar limit: four consecutive interval boundaries around the time of the caller. */
  readonly calendarBoundsMs?: CalendarBounds;
}

/**
 * The guaranteed parts of a limit, as one request sees them: two checks that are counted beside that of the limit, each with its own
 * key and limit.
 *
 * If both parts admit the request, all three checks are spent, that of the limit even if it has no room. Otherwise neither part is
 * spent, and the limit admits the request if `cost <= available - kept`, where `kept` is `1 - lend` of what `all` has available,
 * rounded up to whole units. A block of one of the three refuses the request.
 *
 * A request with `atLeast` or `renew` must not have parts. In a Change, each of the three checks is corrected by its own cost.
 *
 * @example
 * const check = { policy: 'api', name: 'api', key: 'all', limit: concurrency({ limit: 100, lease: '10s' }), cost: 1 };
 * const parts: GuaranteedParts = {
 *   own: { ...check, name: 'api:part', key: 'ann', limit: concurrency({ limit: 20, lease: '10s' }), shadow: true },
 *   all: { ...check, name: 'api:total', limit: concurrency({ limit: 60, lease: '10s' }), shadow: true },
 *   lend: 0.5,
 * };
 * const { verdicts } = await store.consume({ checks: [{ ...check, parts }], id: 'request-1' });
 */
export interface GuaranteedParts {
  /** The part of this request. Its limit has a quota of 0 if nothing is guaranteed to the request. */
  readonly own: PartCheck;
  /** All parts together. */
  readonly all: PartCheck;
  /** How much of the parts may be lent while they are not used: from 0 to 1. */
  readonly lend: number;
}

/** The check of a guaranteed part. It is a shadow check: a part alone never refuses the request. */
export interface PartCheck extends LimitCheck {
  readonly shadow: true;
  /** A part has no parts. */
  readonly parts?: never;
}

/** Checks that are decided in one step: all enforced checks are spent, or none. */
export interface StoreRequest {
  /** No two checks have the same policy, name and key, and neither have their parts. */
  readonly checks: readonly LimitCheck[];
  /**
   * Return the decision that this request would get, and write nothing. `'refused'` says that another place has refused the request.
   * Then each check spends nothing, and records what a refused request leaves behind, by `countRejected` and `blockDuration` of its
   * limit. For limits without these options, it is the same as `true`. Such a request has no `holdMs`.
   */
  readonly peek?: true | 'refused';
  /** Names the slot on every concurrency check. It is required there, and not empty, unless the request is a peek. */
  readonly id?: string;
  /**
   * With `id`: a repeated request within this many milliseconds gets the first response, and spends nothing. If the first one took
   * slots that are not held any more, it is decided anew.
   */
  readonly holdMs?: number;
  /**
   * With `holdMs`: another name for each request. If this request is decided, it names its slots, and the response to each repeated request
   * says it. Default: the `id` names the slots.
   */
  readonly attempt?: string;
  /**
   * With `attempt`: gets the first response only if that attempt was decided, or if the response is a refusal. Otherwise the request is
   * decided anew.
   */
  readonly onlyAttempt?: true;
  /**
   * Only with concurrency checks of one `id`; each check by itself. A held slot gets a new lease. An expired slot is
   * taken again if there is room; with `'held'` it is not.
   */
  readonly renew?: true | 'held';
  /**
   * Take the units that fit on every check: at least this many, at most the cost. The response says in `taken` how many
   * they were.
   */
  readonly atLeast?: number;
  /**
   * The store time after which nothing may be spent. A later request fails with `SLUICE_STORE`, and the error carries the
   * store's time as `atMs`. If there are several servers, the time of the deciding server counts.
   */
  readonly notAfterMs?: number;
  /**
   * How long the caller waits for the response, in place of `remote.timeoutMs`. A limiter ends the request after that. A store in front of
   * others passes it on, and waits no longer itself. Any other store may ignore it.
   */
  readonly timeoutMs?: number;
}

/** The verdict of a check, as a store gives it. */
export interface StoreVerdict extends Verdict {
  /**
   * Present if the check has parts: the verdict of each. If the request is admitted, either both parts are allowed and were spent,
   * or neither is. `remaining` and `retryAfterMs` of the check's own verdict tell what the request can get either way.
   */
  readonly parts?: { readonly own: Verdict; readonly all: Verdict };
}

/** The response to a request. */
export interface StoreResponse {
  /** The store's time of this decision. If it took several steps, it is the latest of their times. */
  readonly atMs: number;
  /** Present if an earlier request was decided, and this one repeats it: the store's time now. */
  readonly nowMs?: number;
  /** For a request with `attempt` and `holdMs`: the attempt that was decided, this one or an earlier one. */
  readonly attempt?: string;
  /**
   * If several steps decided at different times: the store's time of each check, in the order of the checks. It is
   * undefined for a check that was not charged because its part of the store did not answer. Such a check counts as
   * allowed, and has nothing to give back. Absent: `atMs` holds for all checks.
   */
  readonly timesMs?: readonly (number | undefined)[];
  /** Whether all enforced checks are allowed, so that all checks were spent. For a peek: whether they would be. */
  readonly allowed: boolean;
  /** One verdict per check, in the order of the checks. */
  readonly verdicts: readonly StoreVerdict[];
  /** With `atLeast`: the units spent on every check. */
  readonly taken?: number;
  /**
   * The store's time is outside the boundaries of a calendar check. Nothing was spent. Ask again, with boundaries
   * around `atMs`.
   */
  readonly outsideCalendarBounds?: true;
}

/** What `consume` returns: the response, or something to await if the store is asynchronous and does not know it yet. */
export type Consumed<Async extends boolean = boolean> = Async extends true ? Eventual<StoreResponse> : StoreResponse;

/** The units that are charged or given back on one check afterwards. */
export interface Correction extends LimitCheck {
  /**
   * The store's time of this check's charge, if it differs from that of the Change: from `StoreResponse.timesMs`. A check with
   * `parts` has none: all three have the time of the Change.
   */
  readonly atMs?: number;
}

/** Corrects an earlier charge, each check by itself, with signed costs. */
export interface Change {
  /** What is corrected: each check with the units that are charged or, if negative, given back. */
  readonly checks: readonly Correction[];
  /**
   * The `StoreResponse.atMs` of that charge, for each check without a time of its own. Absent: the newest units are given back
   * first.
   */
  readonly atMs?: number;
  /**
   * With an id, the change is made at most once. The id is remembered while the charge counts, for at most a day, and
   * until `keptUntilMs`. With `unspent` and `notAfterMs`, it is not kept for the charge after that time. It also names the slot to free.
   */
  readonly id?: string;
  /**
   * With `id`: the store time until which the id is remembered at least, whatever the result, and even if the charge does
   * not count any more. If nobody makes the change after this time, as `notAfterMs` can ensure, it is made once.
   */
  readonly keptUntilMs?: number;
  /** With `id`: the charge ends by itself. The result of a later change with this id is `'given-back'`. */
  readonly givesBack?: true;
  /**
   * Present if nobody used the units that come back, and nobody can use them any more, as the rest of a slice. They then
   * come back only as far as they cannot make the limit admit more than its bound: a bucket takes back what has not
   * refilled since the time of the charge, which is needed.
   */
  readonly unspent?: true;
  /** The store time after which nothing may be changed. The result of a later change is `'expired'`. */
  readonly notAfterMs?: number;
  /** As in a request: how long the caller waits for the response. */
  readonly timeoutMs?: number;
}

/**
 * The result of a Change.
 *
 * - `'applied'`: the change was made.
 * - `'repeated'`: a change with this id was made before.
 * - `'given-back'`: a change with this id and `givesBack` was made before.
 * - `'expired'`: none of the units count any more, or the change came after its `notAfterMs`.
 * - `'outside-calendar-bounds'`: the store's time is outside the boundaries of a calendar check. Nothing was changed. Ask again,
 *   with boundaries around the response's `atMs`.
 */
export type ChangeResult = 'applied' | 'repeated' | 'given-back' | 'expired' | 'outside-calendar-bounds';

/** The response to a Change. */
export interface ChangeResponse {
  /** The store's time of this response. */
  readonly atMs: number;
  /** What became of the change. If the results of several steps differ, it is that of a step that has changed something. */
  readonly result: ChangeResult;
  /** If several steps have different results: the result of each check, in the order of the checks. Absent: `result` holds for all. */
  readonly results?: readonly ChangeResult[];
  /**
   * One verdict per check, in their order, for every result except `'outside-calendar-bounds'`. They show the state after the
   * change, as a peek with a cost of 1 would in the same step. Their `cost` is therefore 1.
   */
  readonly verdicts: readonly StoreVerdict[];
}

/** What a store can do. `storeSuite` tests only that. */
export interface Capabilities {
  /** Whether checks with different keys are also spent together or not at all. */
  readonly atomicAcrossKeys: boolean;
  /**
   * The algorithms that the store supports. Absent: all. Requests about another algorithm fail with `SLUICE_UNSUPPORTED`.
   */
  readonly algorithms?: readonly Limit['algorithm'][];
  /**
   * Set to false if a decision may be that of a stricter limit or of a moment ago. The store then documents its own
   * worst case. Absent: decisions are exact.
   */
  readonly exact?: false;
}

/** A limit of a policy, as far as it is known before the first request. */
export interface LimitOutline {
  /** The name of the limit. */
  readonly name: string;
  /** Undefined if a function chooses the limit for each request. */
  readonly limit: Limit | undefined;
  /** Undefined if a function chooses the limit, which may have any algorithm. */
  readonly algorithm: Limit['algorithm'] | undefined;
  /** Undefined if a function returns the cost of each request. */
  readonly cost: number | undefined;
  /** Whether its checks may have a margin. */
  readonly usesMargin: boolean;
  /** Whether parts of it are guaranteed, so that one step has to reach the keys of its checks and of their parts. */
  readonly usesGuarantee: boolean;
  /** The functions that make its key; undefined for the default key. Limits with the same functions count by the same key. */
  readonly keyGenerators: readonly unknown[] | undefined;
  /** The function that makes the last part of its key; undefined if the key has none. */
  readonly partition: unknown;
}

/** A policy, as far as it is known before the first request. */
export interface PolicyOutline {
  /** The name of the policy. */
  readonly name: string;
  /** Its limits, in their order. */
  readonly limits: readonly LimitOutline[];
}

/**
 * Tells which of several servers decides about a key. Each server then gets its own deadline, circuit breaker and clock
 * estimate, so that a failing server does not affect the keys of the others.
 */
export interface Placement {
  /** Names the group of keys that one step reaches together with this key. It never changes. */
  groupOf(target: Target): string;
  /** Names the server that decides about this key now; undefined while it is not known. */
  nodeOf(target: Target): string | undefined;
  /**
   * Called several times a second while a server that holds keys does not answer. If nothing else would report where
   * these keys are now, ask the other servers.
   */
  refresh?(): void;
}

/**
 * Keeps the states of keys, and decides atomically: the contract for authors of stores. A store that passes
 * `storeSuite` of `@sluice/conformance` works under every limiter.
 */
export interface Store<Async extends boolean = boolean> {
  /**
   * The name under which `storeMetrics()` counts the round trips, if the store is asked over a network. Default:
   * `'store'`.
   */
  readonly name?: string;
  /** Whether the methods return promises. All of them do, or none; `consume` may also return the response itself. */
  readonly async: Async;
  /** The clock of the store and of everything above it. */
  readonly clock: Clock;
  /** What the store can do. */
  readonly supports: Capabilities;
  /**
   * Present if the store is asked over a network. `timeoutMs` is the longest time for one reply. `instances` is how
   * many instances of the application share the store. `trouble` says why it cannot answer now, if it knows; the error
   * of a late reply repeats it.
   */
  readonly remote?: {
    /** The longest time for one reply, in milliseconds. */
    readonly timeoutMs: number;
    /** How many instances of the application share the store: at least 1. */
    readonly instances: number;
    /**
     * Returns numbers from 0 to below 1. Where there are several instances, they shorten waits: before probes of a server that fails, and
     * before renewals of stores in front of this one. Absent: random numbers.
     */
    readonly random?: () => number;
    /** Why the store cannot answer now; undefined if it can, or does not know. */
    readonly trouble?: () => string | undefined;
    /**
     * Whether the store is about to connect by itself. A call would wait until then, so a server that fails is not probed meanwhile: all
     * probes of an outage would be sent in one moment. Absent: it is probed.
     */
    readonly isConnecting?: () => boolean;
    /**
     * Present if a single server decides, and the store may hear its time without a request, for example when it connects. The
     * listener gets that time, and when it was asked for, as `performance.now()` shows it. It ignores a time that comes more than
     * half of `timeoutMs` after that. Without a time, the first decision has to ask for it first.
     */
    readonly onServerTime?: (listener: (atMs: number, askedMs: number) => void) => void;
    /** Present if several servers decide, each about some of the keys. */
    readonly placement?: Placement;
    /**
     * Present in a runtime whose timers and calls end with the request of the application that began them, as in a Worker. Then each
     * call has a timer of its own. A server that fails is tried by a call of a caller, and not by a timer. `serverOf` names the server
     * that decides about a target.
     */
    readonly requestBound?: { serverOf(target: Target): string };
    /**
     * `protectStore` of `@sluice/core/store`. It gives the store its deadline, its breaker and a cache of refusals. The store brings
     * it, so that programs without a store over a network do not load it.
     */
    readonly protect: (store: Store<true>) => Store;
  };
  /**
   * True if the store itself ends each request at its deadline, and does not ask a server that is unreachable. A limiter
   * then adds no deadline and no breaker. Set it for a store in front of others. Leave it out for a store that asks a
   * server itself.
   */
  readonly selfProtection?: true;
  /**
   * The places where the store counts, if another store can count there, too. A store in front of others shows theirs.
   * Absent: the store has a place of its own.
   */
  readonly keyspaces?: readonly Keyspace[];
  /**
   * Present if the store cannot count every policy. It is called when a policy is made on the store, so that a mistake
   * shows at once. `consume` has to refuse as well, because functions of the policy choose later.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED`
   */
  accept?(policy: PolicyOutline): void;
  /**
   * Decides, and spends if all enforced checks allow, in one atomic step. It is the only way to ask a store, for one limit
   * and for many, so whoever wraps it sees every decision.
   *
   * A store with `async: true` returns the response as it is if it has it at once, and otherwise a promise, or something that can
   * be awaited: `Deferred` of `@sluice/core/values` costs less than a promise.
   *
   * @throws SluiceError `SLUICE_STORE` after `notAfterMs`; `SLUICE_UNSUPPORTED` for a concurrency check without `id`
   * that is no peek
   */
  consume(request: StoreRequest): Consumed<Async>;
  /** Corrects an earlier charge, and returns the state after that. Positive costs are recorded even above the limit. */
  adjust(change: Change): Answer<ChangeResponse, Async>;
  /**
   * Removes states, and returns how many it removed: one per algorithm under which a target was counted, and 0 for an
   * unknown target. A store may include states that no longer matter and that it has not removed yet.
   */
  reset(targets: readonly Target[]): Answer<number, Async>;
  /**
   * Present if keys can be blocked by hand, and blocks be listed. Without it, the limiter's `block`, `unblock`, `blocked` and
   * `inspect` fail with `SLUICE_UNSUPPORTED`. Then `reset` also has to lift blocks.
   */
  readonly blocks?: Blocks<Async>;
  /**
   * Stops timers, closes the keyspace, and refuses further calls with `SLUICE_CLOSED`. It never closes a client that
   * the user made.
   */
  close(): Answer<void, Async>;
}
