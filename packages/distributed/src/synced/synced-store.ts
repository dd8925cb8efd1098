// Why it is so: core/docs/why/stores-in-front.md

import type { Blocks } from '@sluice/core/src/stores/blocks';
import { CheckSetMap, concerns } from '@sluice/core/src/stores/check-set-map';
import type {
  Change,
  ChangeResponse,
  Consumed,
  Correction,
  LimitCheck,
  PolicyOutline,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '@sluice/core/src/stores/store';
import { type Duration, durationMs } from '@sluice/core/src/values/duration';
import { whenReady } from '@sluice/core/src/values/eventual';
import { checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import { FRESH } from '@sluice/remote/guard/protected-store';
import { asChanged, withUnits } from '../in-front/derived-response.js';
import { checkLeasable, leaseRuleOf } from '../in-front/lease-rule.js';
import { PeriodicTask } from '../in-front/periodic-task.js';
import { StoreBeneath } from '../in-front/store-beneath.js';
import { MOST_KINDS, StoreInFront } from '../in-front/store-in-front.js';
import { LocalCounter } from './local-counter.js';
import { SliceSize } from './slice-size.js';
import { Synchronizer } from './synchronizer.js';

/** The options of a SyncedStore. */
export interface SyncedStoreOptions {
  /** The store in which all processes count together: one that returns promises, such as a RedisStore. */
  store: Store<true>;
  /** How often this process reports its counts and reads those of others: 10 ms to 100 years. Default: 1 s. */
  sync?: Duration;
  /**
   * The most units of one kind of request that this process admits before it synchronizes: a whole number of at least 1, or a share of the
   * limit between 0 and 1. Default: a tenth of the limit, and at least 10.
   */
  slice?: number;
  /**
   * How many requests between two synchronizations make a key busy: a whole number of at least 1. A busy key is counted in this process.
   * For any other key, each request asks the store, because to synchronize a key costs the store more than so few requests. Default: 6.
   * With 1, all keys are counted here, which saves waiting where the store is far away.
   */
  busyFrom?: number;
}

/** To synchronize a key costs Redis as much as some five requests: `npm run bench -- fleet`. */
const BUSY_FROM = 6;

/** How many counters are synchronized at the same time. It keeps many counters from flooding the store. */
const AT_ONCE = 100;

/**
 * Counts in this process, and synchronizes with another store every `sync`. Choose it if a few units above the limit do
 * not matter. If they do, use a `LeasedStore`.
 *
 * A request asks the store itself if this process cannot decide it: a request of a key that is not busy enough to gain (`busyFrom`), a
 * request that would make more than `slice` units unsynced, a request that costs more than `slice`, and requests near the limit. The worst
 * case is above the limit: `boundOf(limit, window, { sync, slice, instances })`.
 *
 * It supports the same limits as a `LeasedStore`. A policy with another limit is refused with `SLUICE_UNSUPPORTED`; if a
 * function chooses the limit, the request is.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new SyncedStore({ store: new RedisStore({ client }), sync: '5s', slice: 50 });
 * app.use(rateLimit({ limit: 1000, window: '1m', store }));
 */
export class SyncedStore extends StoreInFront implements Store<true> {
  /** A block refuses in this process at once, and in others after their next synchronization. */
  readonly blocks?: Blocks<true>;

  readonly #beneath: StoreBeneath;
  readonly #syncMs: number;
  readonly #slice: SliceSize;
  readonly #newCounter: (request: StoreRequest) => LocalCounter;
  readonly #synchronizer: Synchronizer;
  /** One for each kind of request that was asked about lately, also if it is not counted here. */
  readonly #counters = new CheckSetMap<LocalCounter>(MOST_KINDS);
  /** The counter of each single check that is counted here. */
  readonly #counting = new CheckSetMap<LocalCounter>();
  /** Reports the counts of this process and reads those of others, every `sync`. */
  readonly #syncs: PeriodicTask;

  constructor(options: SyncedStoreOptions) {
    checkOptions(options, ['store', 'sync', 'slice', 'busyFrom']);
    const { store, sync = 1000, slice, busyFrom = BUSY_FROM } = options;
    const beneath = new StoreBeneath(store);
    super(beneath);
    this.#beneath = beneath;
    this.#syncMs = durationMs(sync, 'sync', 10);
    this.#slice = new SliceSize(slice);
    checkWhole(busyFrom, 'busyFrom', 1);
    this.#newCounter = (request) => new LocalCounter(request, this.#syncMs, busyFrom);
    const blocks = this.#beneath.blocks(async (targets, change) => {
      const concerned = this.#counters.concernedBy(targets);
      await Promise.all([...concerned].map((counter) => this.#synchronizer.report(counter)));
      return changing(concerned, change);
    });
    if (blocks) this.blocks = blocks;
    this.#synchronizer = new Synchronizer(this.#beneath.store);
    this.#syncs = new PeriodicTask(this.clock, () => beneath.spreadMs(this.#syncMs), {
      isNeeded: () => this.#counters.size > 0,
      run: () => this.#syncAll(),
    });
  }

  /** Refuses limits that cannot be counted later. A limit that a function chooses is checked when it is asked about. */
  accept(policy: PolicyOutline): void {
    checkLeasable(policy);
    this.#beneath.store.accept?.(policy);
  }

  /** Returns the response itself if this process can count the request. */
  consume(request: StoreRequest): Consumed<true> {
    return this.#decideHere(request) ?? this.#askStore(request);
  }

  /** Decides a request that this process can count. */
  #decideHere(request: StoreRequest): StoreResponse | undefined {
    const cost = this.#beneath.isClosed ? undefined : this.#slice.costIn(request);
    const counter = cost === undefined ? undefined : this.#counters.get(request.checks);
    return counter && this.#count(counter, request, cost as number);
  }

  #askStore(request: StoreRequest): Consumed<true> {
    try {
      this.#beneath.checkOpen();
      const cost = this.#slice.costIn(request);
      if (cost === undefined) return this.#passOn(request);
      const counter = this.#counters.of(request.checks, () => this.#newCounter(request));
      if (!counter) return this.#passOn(request);
      this.#syncs.begin();
      return this.#isCounted(counter, request, cost)
        ? this.#synchronizer.ask(counter, request, cost)
        : this.#passOn(request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** In its verdicts, unsynced units count as spent. */
  async adjust(change: Change): Promise<ChangeResponse> {
    this.#beneath.checkOpen();
    const counters = this.#countingAny(change.checks);
    // The corrected units may be unsynced.
    await Promise.all([...counters].map((counter) => this.#synchronizer.report(counter)));
    const response = await changing(counters, () => this.#beneath.store.adjust(this.#asCounted(change)));
    return asChanged(change, response, (check) => 0 - (this.#counting.get([check])?.unsynced ?? 0));
  }

  /** Gives units back at the time at which the store counted them, which is later than the response that admitted them. */
  #asCounted(change: Change): Change {
    const { checks, atMs } = change;
    const cost = checks[0]?.cost ?? 0;
    if (atMs === undefined || cost >= 0) return change;
    if (checks.some((check: Correction) => check.cost !== cost || check.atMs !== undefined)) return change;
    const countedMs = this.#counters.get(checks)?.giveBack(0 - cost, atMs);
    return countedMs === undefined ? change : { ...change, atMs: countedMs };
  }

  /** The result is at least the number of states that have unsynced units here. */
  async reset(targets: readonly Target[]): Promise<number> {
    this.#beneath.checkOpen();
    const concerned = this.#counters.concernedBy(targets);
    let unsynced = 0;
    for (const counter of concerned) {
      if (counter.unsynced > 0) unsynced += counter.checks.filter((check) => concerns(targets, [check])).length;
      // Units of limits that are not reset are still reported.
      if (counter.checks.every((check) => concerns(targets, [check]))) this.#forget(counter);
      else this.#synchronizer.report(counter, targets);
    }
    const forgotten = await changing(concerned, () => this.#beneath.store.reset(targets));
    return Math.max(forgotten, unsynced);
  }

  /** Reports unsynced units, and closes the store beneath. */
  async close(): Promise<void> {
    this.#beneath.isClosed = true;
    this.#syncs.stop();
    for (const counter of this.#counters.values()) this.#synchronizer.report(counter);
    this.#counters.clear();
    this.#counting.clear();
    await this.#synchronizer.end();
    await this.#beneath.store.close();
  }

  #count(counter: LocalCounter, request: StoreRequest, cost: number): StoreResponse | undefined {
    counter.checks = request.checks;
    this.#syncs.begin();
    const wasUnsynced = counter.unsynced;
    const slice = this.#slice.of(request.checks);
    const response = counter.decide(request.checks, cost, slice, this.clock.now(), 2 * this.#syncMs);
    if (!response) return undefined;
    // Early enough that the slice is seldom used up before it is synchronized.
    if (2 * wasUnsynced < slice && 2 * counter.unsynced >= slice) this.#synchronizer.sync(counter);
    return response;
  }

  /**
   * Notes a request, and returns whether its kind is counted here: whether it is busy enough, and no other kind has one of its limits. A
   * limit of everyone beside a limit of each user belongs to as many kinds as there are users. If each kind was counted, each could have a
   * whole slice unsynced. So one kind is, and the others ask the store.
   */
  #isCounted(counter: LocalCounter, { checks }: StoreRequest, cost: number): boolean {
    const { demand } = counter;
    const isBusy = demand.note(cost, this.clock.now());
    if (counter.isCounting) return true;
    if (!isBusy || !demand.isEnough(this.#slice.of(checks))) return false;
    checks.forEach(leaseRuleOf);
    const counting = checks.map((check) => this.#counting.get([check]));
    if (counting.some((other) => other !== undefined && other !== counter)) return false;
    for (const check of checks) this.#counting.set([check], counter);
    counter.isCounting = true;
    return true;
  }

  #forget(counter: LocalCounter): void {
    this.#counters.delete(counter.checks);
    this.#release(counter);
  }

  /** Lets other kinds of requests count the limits of this one. */
  #release(counter: LocalCounter): void {
    for (const check of counter.checks) if (this.#counting.get([check]) === counter) this.#counting.delete([check]);
  }

  /** Asks the store itself. */
  #passOn(request: StoreRequest): Consumed<true> {
    request.checks.forEach(leaseRuleOf);
    const counters = this.#countingAny(request.checks);
    // A refusal that is remembered knows nothing of units that are counted here.
    const asked = this.#beneath.store.consume(request, counters.size > 0 ? FRESH : undefined);
    return whenReady(asked, (response) => {
      if (request.peek) {
        const counter = this.#counters.get(request.checks);
        return withUnits(response, 0 - (counter?.unsynced ?? 0));
      }
      const most = response.taken ?? Math.max(...request.checks.map(({ cost }) => cost));
      if (response.allowed) for (const counter of this.#countingAny(request.checks)) counter.storeSpent(most);
      return response;
    }) as Consumed<true>;
  }

  #countingAny(checks: readonly LimitCheck[]): ReadonlySet<LocalCounter> {
    return new Set(checks.flatMap((check) => this.#counting.get([check]) ?? []));
  }

  async #syncAll(): Promise<void> {
    const counters = this.#counters.values().filter((counter) => this.#isToSync(counter));
    for (let i = 0; i < counters.length; i += AT_ONCE) {
      await Promise.all(counters.slice(i, i + AT_ONCE).map((counter) => this.#sync(counter)));
    }
  }

  /** Whether a counter has something to report, or goes on counting. What is known of other kinds of requests is forgotten in time. */
  #isToSync(counter: LocalCounter): boolean {
    const nowMs = this.clock.now();
    if (counter.isCounting && !counter.demand.isBusy(nowMs)) counter.stopCounting();
    if (counter.isCounting || counter.unsynced > 0) return true;
    this.#release(counter);
    if (counter.demand.isOver(nowMs)) this.#counters.delete(counter.checks);
    return false;
  }

  async #sync(counter: LocalCounter): Promise<void> {
    // A counter that was reset meanwhile has nothing to report.
    if (this.#counters.get(counter.checks) === counter) await this.#synchronizer.sync(counter);
  }
}

/** Makes a change in the store. Replies from before the change, and during it, are void. */
async function changing<T>(counters: Iterable<LocalCounter>, change: () => T | Promise<T>): Promise<T> {
  for (const counter of counters) counter.changed();
  try {
    return await change();
  } finally {
    for (const counter of counters) counter.changed();
  }
}
