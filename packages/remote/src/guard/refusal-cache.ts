// Why it is so: core/docs/why/stores-in-front.md

import { remainingUnits } from '@sluice/core/src/algorithms/arithmetic/margin';
import { definitionOf } from '@sluice/core/src/algorithms/definitions';
import { CheckSetMap, isSameState } from '@sluice/core/src/stores/check-set-map';
import { age, isSimpleSpend, sameCheck, verdictOf } from '@sluice/core/src/stores/reply';
import type { LimitCheck, StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import type { Clock } from '@sluice/core/src/values/clock';
import type { Verdict } from '@sluice/core/src/values/decision';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';
import { usesSlots } from '@sluice/core/src/values/limit';
import type { RequestMark } from './protected-store.js';

/**
 * The longest time that a refusal is cached. Units that are given back or removed elsewhere count here after this time
 * at the latest.
 */
const LONGEST_MS = 100;

/** The most refusals that are cached. */
const MOST = 10_000;

/** The number of parts that keys are divided into, to note which were changed: a power of two. */
const PARTS = 1024;

/** The last response to this process that spent units of a state, while a refusal of it is cached. */
interface Spending {
  readonly check: LimitCheck;
  /** Undefined until units are spent. */
  verdict: Verdict | undefined;
  observedMs: number;
  /** The number of refusals that need it. */
  users: number;
}

interface Refusal {
  readonly checks: readonly LimitCheck[];
  readonly response: StoreResponse;
  /** How many changes this process had made when it was asked. */
  readonly changes: number;
  /** When the response arrived. */
  readonly observedMs: number;
  readonly untilMs: number;
  /** For each check, with its verdict at that time. */
  readonly spendings: readonly Spending[];
  readonly spentThen: readonly (Verdict | undefined)[];
}

/**
 * Caches refusals while it is certain that the same request would be refused again. It ends when a limit that refused
 * has room, by the clock of this process from before the request. It ends after a tenth of a second at the latest, because
 * units may be given back elsewhere. A change in this process ends it at once, even for a response that is on its way.
 *
 * A cached reply is for the same checks and costs, because a smaller cost may fit, and a larger one has to wait longer.
 * Units that this process spends meanwhile are known. If a limit that refused spends them, the refusal is dropped,
 * because the wait may be longer. If a limit that allowed spends them, its verdict is updated.
 */
export class RefusalCache {
  readonly #clock: Clock;
  readonly #byChecks = new CheckSetMap<Refusal>();
  /** The oldest first. */
  readonly #inOrder = new Set<Refusal>();
  /** By key: the states that cached refusals are about. */
  readonly #spendings = new Map<string, Spending[]>();
  readonly #changedAt = new Float64Array(PARTS);
  #changes = 0;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a mark of the start of a request: `learn` needs it. */
  markRequest(request: StoreRequest): RequestMark {
    return { cache: this, request, askedMs: this.#clock.now(), changes: this.#changes };
  }

  /** Call it before and after a change: between the two, nobody knows when the change is made. */
  changed(targets: readonly Pick<LimitCheck, 'key'>[]): void {
    this.#changes += 1;
    for (const { key } of targets) this.#changedAt[partOf(key)] = this.#changes;
  }

  /** Call it with the response to a marked request that is no peek. Caches a refusal, and notes what was spent. */
  learn(mark: RequestMark, response: StoreResponse): void {
    const { request } = mark;
    if (response.allowed) {
      if (this.#spendings.size > 0) this.#spent(request.checks, response.verdicts);
    } else if (!response.outsideCalendarBounds && this.#isCacheable(request)) {
      this.#remember(request.checks, mark, response);
    }
  }

  /** Returns the cached refusal of a request, if it is certain. */
  recall(request: StoreRequest): StoreResponse | undefined {
    if (this.#inOrder.size === 0 || !this.#isCacheable(request)) return undefined;
    const { checks } = request;
    const refusal = this.#byChecks.get(checks);
    if (!refusal) return undefined;
    const nowMs = this.#clock.now();
    // If the clock went back, nobody knows how much time has passed.
    if (nowMs >= refusal.untilMs || nowMs < refusal.observedMs) return undefined;
    if (!isSame(checks, refusal.checks) || this.#isChanged(checks, refusal.changes)) return undefined;
    return aged(refusal, nowMs);
  }

  /** From now on, nothing is cached. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether a refusal of this request may be cached. */
  #isCacheable(request: StoreRequest): boolean {
    return !this.#isClosed && request.checks.length > 0 && isSimpleSpend(request);
  }

  #spent(checks: readonly LimitCheck[], verdicts: readonly Verdict[]): void {
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as LimitCheck;
      const spending = this.#spendings.get(check.key)?.find((one) => isSameState(one.check, check));
      if (!spending || check.cost === 0) continue;
      spending.verdict = verdicts[i];
      spending.observedMs = this.#clock.now();
    }
  }

  #remember(checks: readonly LimitCheck[], mark: RequestMark, response: StoreResponse): void {
    const forMs = Math.min(LONGEST_MS, certainMs(checks, response.verdicts));
    if (!(forMs > 0) || this.#isChanged(checks, mark.changes)) return;
    const observedMs = this.#clock.now();
    this.#makeRoom(observedMs);
    const spendings = checks.map((check) => this.#spendingOf(check));
    const spentThen = spendings.map(({ verdict }) => verdict);
    const untilMs = mark.askedMs + forMs;
    const { changes } = mark;
    const refusal = { checks, response, changes, observedMs, untilMs, spendings, spentThen };
    const known = this.#byChecks.get(checks);
    this.#byChecks.set(checks, refusal);
    this.#inOrder.add(refusal);
    if (known) this.#letGo(known);
  }

  #isChanged(checks: readonly LimitCheck[], changes: number): boolean {
    return this.#changes > changes && checks.some(({ key }) => (this.#changedAt[partOf(key)] as number) > changes);
  }

  #makeRoom(nowMs: number): void {
    for (const refusal of this.#inOrder) {
      if (nowMs < refusal.untilMs && this.#inOrder.size < MOST) return;
      this.#byChecks.delete(refusal.checks);
      this.#letGo(refusal);
    }
  }

  #letGo(refusal: Refusal): void {
    this.#inOrder.delete(refusal);
    for (const spending of refusal.spendings) {
      spending.users -= 1;
      if (spending.users > 0) continue;
      const { key } = spending.check;
      const others = (this.#spendings.get(key) ?? []).filter((other) => other !== spending);
      if (others.length > 0) this.#spendings.set(key, others);
      else this.#spendings.delete(key);
    }
  }

  #spendingOf(check: LimitCheck): Spending {
    const ofKey = getOrCreate(this.#spendings, check.key, (): Spending[] => []);
    let spending = ofKey.find((one) => isSameState(one.check, check));
    if (!spending) {
      spending = { check, verdict: undefined, observedMs: 0, users: 0 };
      ofKey.push(spending);
    }
    spending.users += 1;
    return spending;
  }
}

/** Returns a response that comes later, from which the cache learns first. */
export function learning(mark: RequestMark, response: PromiseLike<StoreResponse>): PromiseLike<StoreResponse> {
  return response.then((learned) => {
    mark.cache.learn(mark, learned);
    return learned;
  });
}

function partOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return hash & (PARTS - 1);
}

function isSame(checks: readonly LimitCheck[], others: readonly LimitCheck[]): boolean {
  for (let i = 0; i < checks.length; i += 1)
    if (!sameCheck(checks[i] as LimitCheck, others[i] as LimitCheck)) return false;
  return true;
}

/**
 * Returns how long each of these verdicts stays the same if nothing is given back. Returns 0 if asking again might
 * change a state.
 */
function certainMs(checks: readonly LimitCheck[], verdicts: readonly Verdict[]): number {
  let certain = Number.POSITIVE_INFINITY;
  for (let i = 0; i < checks.length; i += 1) {
    const { limit, cost, margin = 0, parts } = checks[i] as LimitCheck;
    const { allowed, retryAfterMs } = verdicts[i] as Verdict;
    // A cost of 0 may fit before one unit does, and the wait is that of one unit. A key that never refills is
    // forgotten. A slot can be freed at any time. With a positive margin a request fits before it is told to come again,
    // and so does one that has two ways to fit, as its own part or from what is lent.
    if (limit.countRejected !== undefined || cost === 0 || margin > 0 || parts !== undefined) return 0;
    if (limit.keepForMs !== undefined || usesSlots(limit)) return 0;
    const { longestWaitMs } = definitionOf(limit);
    if (allowed && limit.blockMs !== undefined) return 0;
    if (allowed) continue;
    // A limit in debt causes no wait longer than `longestWaitMs`. If the wait is longer, the key is blocked, and asking
    // starts no new block. A request that can never fit starts a block whenever there is none, and its verdict does not
    // show the rest of the block.
    if (retryAfterMs === 'never' && limit.blockMs !== undefined) return 0;
    const waitMs = retryAfterMs === 'never' ? Number.POSITIVE_INFINITY : retryAfterMs;
    certain = Math.min(certain, limit.blockMs === undefined ? waitMs : waitMs - longestWaitMs(limit));
  }
  return certain;
}

/** Returns the response as it is some time later; undefined if units spent meanwhile make it uncertain. */
function aged(
  { checks, response, observedMs, spendings, spentThen }: Refusal,
  nowMs: number,
): StoreResponse | undefined {
  // Measured from the arrival: the time of the response on the network has not shortened its waits.
  const agoMs = nowMs - observedMs;
  const verdicts = new Array<Verdict>(checks.length);
  for (let i = 0; i < checks.length; i += 1) {
    const then = response.verdicts[i] as Verdict;
    const spending = spendings[i] as Spending;
    const isUnspent = spending.verdict === spentThen[i];
    const verdict = isUnspent
      ? agedVerdict(then, agoMs)
      : afterSpending(checks[i] as LimitCheck, then, spending, nowMs);
    if (!verdict) return undefined;
    verdicts[i] = verdict;
  }
  return { atMs: response.atMs + agoMs, allowed: false, verdicts };
}

/** Returns the verdict of a limit that allowed, after units of it were spent; undefined if it would refuse now. */
function afterSpending(
  check: LimitCheck,
  then: Verdict,
  { verdict: last, observedMs }: Spending,
  nowMs: number,
): Verdict | undefined {
  // The delay of the next request is not that of the last one.
  const mayDelay = definitionOf(then.limit).kernel.delayMs !== undefined;
  if (!last || !then.allowed || last.limit !== then.limit || mayDelay) return undefined;
  const { used, resetAfterMs } = last;
  // Of what is used, since the last one may have had another margin.
  const remaining = remainingUnits(then.limit.quota - used, check.margin ?? 0);
  if (remaining < Math.max(1, then.cost) || nowMs < observedMs) return undefined;
  return agedVerdict({ ...then, remaining, used, resetAfterMs }, nowMs - observedMs);
}

/**
 * Returns the verdict some time later. `used` and `remaining` stay the same. Units that have expired since then show in
 * the store's next reply.
 */
function agedVerdict(verdict: Verdict, agoMs: number): Verdict {
  const { allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs, blocked } = verdict;
  return verdictOf(verdict, {
    blocked,
    allowed,
    remaining,
    used,
    resetAfterMs: age(resetAfterMs, agoMs),
    retryAfterMs: age(retryAfterMs, agoMs),
    delayMs: Math.max(0, delayMs - agoMs),
  });
}
