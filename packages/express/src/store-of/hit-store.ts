import {
  type Change,
  type ChangeResponse,
  type Duration,
  type Limit,
  type LimitCheck,
  type PolicyOutline,
  SluiceError,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
  wallClock,
} from '@sluice/core';
import { protectStore } from '@sluice/core/store';
import { checkOptions, checkWhole, timerMs } from '@sluice/core/values';
import { atTheStrictest, type CountedHits, hitVerdict } from './counted-hits.js';
import type { ExpressRateLimitStore, Hits } from './express-rate-limit-store.js';
import { hitKey } from './hit-key.js';
import { asked, failure } from './store-failure.js';
import { checkCost, refusalOf, unsupported } from './uncountable.js';

/** The options of `storeOf`. */
export interface StoreOfOptions {
  /**
   * How long the store may take before `onStoreError` decides: 1 ms or more. Default: `'50ms'`; no end for a store that
   * counts in this process.
   */
  timeout?: Duration;
  /**
   * How many instances of the application share the store. `onStoreError: 'local'` divides limits by this number.
   * Default: 1.
   */
  instances?: number;
}

/**
 * Counts hits by the protocol of express-rate-limit. The time of a charge is the start of its window, so that a
 * correction can see whether the window is still the same.
 */
export class HitStore implements Store<true> {
  readonly async = true;
  /** The protocol states the end of a window as a time of day. */
  readonly clock = wallClock;
  readonly supports: Store['supports'] = {
    atomicAcrossKeys: false,
    algorithms: ['fixed-window'],
    // Refused requests are counted, too, so a correction may give back less than was charged.
    exact: false,
  };
  readonly remote?: NonNullable<Store['remote']>;
  readonly #hits: ExpressRateLimitStore;
  readonly #forget: () => void;
  #windowMs: number | undefined;
  #isInitialized = false;
  #isClosed = false;

  /** @param forget - called on close, because another store may then be made for the same hits */
  constructor(hits: ExpressRateLimitStore, options: StoreOfOptions, forget: () => void) {
    checkOptions(options, ['timeout', 'instances']);
    const timeoutMs = timerMs(options.timeout ?? '50ms', 'timeout');
    const instances = checkWhole(options.instances ?? 1, 'instances', 1);
    // Read at once, because a store in memory continues to count in the object that it returns.
    if (!hits.localKeys) this.remote = { timeoutMs, instances, protect: protectStore };
    else if (options.timeout !== undefined) this.remote = { timeoutMs, instances: 1, protect: protectStore };
    this.#hits = hits;
    this.#forget = forget;
  }

  accept({ limits }: PolicyOutline): void {
    if (limits.length > 1) throw unsupported(limits[1]?.name, 'it counts one limit for each request', 'limits');
    for (const { name, limit, algorithm, cost } of limits) {
      if (algorithm !== undefined && algorithm !== 'unlimited') this.#checkLimit(name, limit ?? { algorithm });
      if (cost !== undefined) checkCost(name, cost);
      if (limit?.windowMs !== undefined) this.#begin(name, limit.windowMs);
    }
  }

  async consume({ checks, peek, renew, holdMs, atLeast, notAfterMs }: StoreRequest): Promise<StoreResponse> {
    this.#checkOpen();
    const [check] = checks;
    if (!check) return { atMs: this.clock.now(), allowed: true, verdicts: [] };
    if (checks.length > 1) throw unsupported(checks[1]?.name, 'it counts one limit for each request', 'limits');
    if (holdMs !== undefined) throw unsupported(check.name, 'it remembers no ids', 'id');
    if (renew || atLeast !== undefined) {
      throw unsupported(check.name, 'it counts requests one by one, when they come');
    }
    const windowMs = this.#windowOf(check);
    checkCost(check.name, check.cost);
    if (notAfterMs !== undefined && this.clock.now() > notAfterMs) throw failure('was asked after the deadline');
    if (peek) return this.#looked(check, windowMs);
    const counted = await this.#increment(check, windowMs);
    const allowed = counted.hits <= check.limit.quota;
    return {
      atMs: this.clock.now(),
      timesMs: [counted.startMs],
      allowed: allowed || check.shadow === true,
      verdicts: [hitVerdict(check, counted, allowed)],
    };
  }

  async adjust({ checks, atMs: chargedMs, keptUntilMs, notAfterMs }: Change): Promise<ChangeResponse> {
    this.#checkOpen();
    const [check] = checks;
    if (!check || checks.length > 1)
      throw unsupported(checks[1]?.name, 'it counts one limit for each request', 'limits');
    if (keptUntilMs !== undefined) throw unsupported(check.name, 'it remembers no ids');
    const windowMs = this.#windowOf(check);
    const atMs = check.atMs ?? chargedMs;
    if (check.cost === 1) return this.#changed(check, 'applied', await this.#increment(check, windowMs));
    if (check.cost !== -1)
      throw unsupported(check.name, 'it counts requests one by one: settle(0) and settle(1)', 'cost');
    const nowMs = this.clock.now();
    const isOver = atMs === undefined ? await this.#isEmpty(check, windowMs) : nowMs >= atMs + windowMs;
    const isLate = notAfterMs !== undefined && nowMs > notAfterMs;
    if (!isOver && !isLate) await asked(() => this.#hits.decrement(hitKey(check)));
    const result = isOver || isLate ? 'expired' : 'applied';
    const counted = this.#hits.get ? await this.#get(check, windowMs) : atTheStrictest(check, nowMs, windowMs);
    return this.#changed(check, result, counted);
  }

  async reset(targets: readonly Target[]): Promise<number> {
    this.#checkOpen();
    let forgotten = 0;
    for (const target of targets) {
      const key = hitKey(target);
      const { get } = this.#hits;
      const known = get && this.#isInitialized ? await asked(() => get.call(this.#hits, key)) : { totalHits: 1 };
      await asked(() => this.#hits.resetKey(key));
      if (known && known.totalHits > 0) forgotten += 1;
    }
    return forgotten;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#forget();
    await this.#hits.shutdown?.();
  }

  async #looked(check: LimitCheck, windowMs: number): Promise<StoreResponse> {
    const counted = await this.#get(check, windowMs);
    const allowed = counted.hits < check.limit.quota;
    const isShadow = check.shadow === true;
    return { atMs: this.clock.now(), allowed: allowed || isShadow, verdicts: [hitVerdict(check, counted, allowed)] };
  }

  #changed(check: LimitCheck, result: ChangeResponse['result'], counted: CountedHits): ChangeResponse {
    const look = { ...check, cost: 1 };
    return { atMs: this.clock.now(), result, verdicts: [hitVerdict(look, counted, counted.hits < check.limit.quota)] };
  }

  async #increment(check: LimitCheck, windowMs: number): Promise<CountedHits> {
    this.#initialize(windowMs);
    // A store in this process needs no deadline unless the options set one, and it is not shared by instances.
    return asked(async () => this.#read(await this.#hits.increment(hitKey(check)), windowMs));
  }

  async #get(check: LimitCheck, windowMs: number): Promise<CountedHits> {
    const { get } = this.#hits;
    if (!get) throw unsupported(check.name, 'it has no get(key), which peek and refund need');
    this.#initialize(windowMs);
    return asked(async () => {
      const hits = await get.call(this.#hits, hitKey(check));
      const counted = hits && this.#read(hits, windowMs);
      const nowMs = this.clock.now();
      return counted && counted.endMs > nowMs ? counted : { hits: 0, startMs: nowMs, endMs: nowMs };
    });
  }

  async #isEmpty(check: LimitCheck, windowMs: number): Promise<boolean> {
    return (await this.#get(check, windowMs)).hits === 0;
  }

  #read({ totalHits, resetTime }: Hits, windowMs: number): CountedHits {
    const nowMs = this.clock.now();
    const endMs = Math.floor(Number(resetTime ?? nowMs + windowMs));
    if (Number.isSafeInteger(totalHits) && Number.isSafeInteger(endMs)) {
      return { hits: Math.max(0, totalHits), startMs: endMs - windowMs, endMs };
    }
    throw new TypeError(`it returned { totalHits: ${totalHits}, resetTime: ${resetTime} }`);
  }

  /** Returns the window of a check that can be counted. */
  #windowOf({ name, limit }: LimitCheck): number {
    // A limit without a name belongs to no policy: it is a probe that tests whether the store accepts writes.
    if (name === '') return this.#windowMs ?? 1000;
    this.#checkLimit(name, limit);
    const windowMs = limit.windowMs as number;
    this.#begin(name, windowMs);
    return windowMs;
  }

  #checkLimit(name: string, limit: Pick<Limit, 'algorithm'> & Partial<Limit>): void {
    const reason = refusalOf(limit, this.#hits);
    if (reason !== undefined) throw unsupported(name, reason, 'limit');
  }

  /** From now on all windows have this length. */
  #begin(name: string, windowMs: number): void {
    if (this.#windowMs !== undefined && this.#windowMs !== windowMs) {
      const reason = `it counts windows of ${this.#windowMs} ms already, and this one has ${windowMs}: use one store for each length`;
      throw unsupported(name, reason, 'store');
    }
    this.#windowMs = windowMs;
    this.#initialize(windowMs);
  }

  /** It is not awaited. If it fails, the calls of the store fail as well, and the next call tries again. */
  #initialize(windowMs: number): void {
    if (this.#isInitialized) return;
    this.#isInitialized = true;
    asked(() => this.#hits.init?.({ windowMs })).catch(() => {
      this.#isInitialized = false;
    });
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }
}
