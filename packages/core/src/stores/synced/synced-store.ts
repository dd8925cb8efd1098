import { DEFAULT_SLICE } from '../../algorithms/bound.js';
import type { Clock } from '../../values/clock.js';
import { type Duration, durationMs } from '../../values/duration.js';
import { SluiceError } from '../../values/error.js';
import { checkOptions, checkWhole } from '../../values/option-checks.js';
import { CheckSetMap, concerns } from '../check-set-map.js';
import { checkExactStore } from '../check-store.js';
import { type Keyspace, keyspacesOf } from '../keyspace.js';
import { asChanged, withUnits } from '../leased/derived-reply.js';
import { leaseRuleOf } from '../leased/lease-rule.js';
import { ASSUMED_REMOTE, leasedCapabilities } from '../leased/leased-capabilities.js';
import { PeriodicTask } from '../leased/periodic-task.js';
import { sharedCost } from '../leased/request-kind.js';
import { FRESH, type ProtectedStore } from '../remote/protected-store.js';
import { remoteStore } from '../remote/remote-store.js';
import type { Ask, Change, ChangeReply, Check, Reply, Store, Target } from '../store.js';
import { LocalCounter } from './local-counter.js';
import { Synchronizer } from './synchronizer.js';

/** The store that a SyncedStore synchronizes with, how often, and how much it may admit before that. */
export interface SyncedStoreOptions {
  /** Where all processes count together: a store that answers by promises, such as a RedisStore. */
  store: Store<true>;
  /**
   * How often this process reports what it has counted, and learns what others have: 10 ms to 100 years, default 1 s.
   */
  sync?: Duration;
  /** The most units of one kind of request that this process admits unsynced: whole, at least 1, default 10. */
  slice?: number;
}

/** How many counters are synchronized at once, so that very many of them do not flood the store. */
const AT_ONCE = 100;

/**
 * Counts in this process and synchronizes with another store once in `sync`. Requests that cannot be decided by what is known
 * here ask that store, as they would without this one: the first of a key, one that would make more than `slice` units
 * unsynced, one that costs more than `slice`, and those near the limit. The price is a worst case above the limit:
 * `boundOf(limit, window, { sync, slice, instances })`.
 *
 * For limits that may be passed a little: where they may not, use a `LeasedStore`. Both take the same limits, and a
 * question about another fails with `SLUICE_UNSUPPORTED`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new SyncedStore({ store: new RedisStore({ client }), sync: '5s', slice: 50 });
 * app.use(rateLimit({ limit: 1000, window: '1m', store }));
 */
export class SyncedStore implements Store<true> {
  readonly async = true;
  readonly selfProtection = true;
  readonly clock: Clock;
  readonly supports: Store['supports'];
  readonly keyspaces: readonly Keyspace[];
  readonly remote: NonNullable<Store['remote']>;

  readonly #store: ProtectedStore;
  readonly #syncMs: number;
  readonly #slice: number;
  readonly #synchronizer: Synchronizer;
  readonly #counters = new CheckSetMap<LocalCounter>();
  /** For each check by itself, the counter that counts it. */
  readonly #counting = new CheckSetMap<LocalCounter>();
  /** Once in `sync`: reports what was counted here, and learns what others counted. */
  readonly #syncs: PeriodicTask;
  #isClosed = false;

  constructor(options: SyncedStoreOptions) {
    checkOptions(options, ['store', 'sync', 'slice']);
    const { store, sync = 1000, slice = DEFAULT_SLICE } = options;
    checkExactStore(store, 'store');
    this.#store = remoteStore(store);
    this.#syncMs = durationMs(sync, 'sync', 10);
    this.#slice = checkWhole(slice, 'slice', 1);
    this.clock = store.clock;
    this.supports = leasedCapabilities(store.supports);
    this.keyspaces = keyspacesOf(store);
    this.remote = store.remote ?? ASSUMED_REMOTE;
    this.#synchronizer = new Synchronizer(this.#store);
    this.#syncs = new PeriodicTask(this.clock, this.#syncMs, {
      isNeeded: () => this.#counters.size > 0,
      run: () => this.#syncAll(),
    });
  }

  consume(ask: Ask): Promise<Reply> {
    try {
      this.#open();
      const cost = sharedCost(ask);
      if (cost === undefined || cost > this.#slice) return this.#pass(ask);
      const counter = this.#counters.get(ask.checks) ?? this.#newCounter(ask.checks);
      return counter ? this.#count(counter, ask, cost) : this.#pass(ask);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Its verdicts count unsynced units as spent. */
  async adjust(change: Change): Promise<ChangeReply> {
    this.#open();
    const counters = this.#countingAny(change.checks);
    // What is corrected may be unsynced.
    await Promise.all([...counters].map((counter) => this.#synchronizer.report(counter)));
    const reply = await changing(counters, () => this.#store.adjust(change));
    return asChanged(change, reply, (check) => 0 - (this.#counting.get([check])?.unsynced ?? 0));
  }

  /** Returns at least the number of states that have unsynced units here. */
  async reset(targets: readonly Target[]): Promise<number> {
    this.#open();
    const concerned = this.#counters.concernedBy(targets);
    let unsynced = 0;
    for (const counter of concerned) {
      if (counter.unsynced > 0) unsynced += counter.checks.filter((check) => concerns(targets, [check])).length;
      // What was counted of limits that are not reset is reported all the same.
      const others = counter.checks.filter((check) => !concerns(targets, [check]));
      if (others.length === 0) this.#forget(counter);
      else this.#synchronizer.report(counter, others);
    }
    const forgotten = await changing(concerned, () => this.#store.reset(targets));
    return Math.max(forgotten, unsynced);
  }

  /** Reports what is unsynced, and closes the store beneath. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#syncs.stop();
    for (const counter of this.#counters.values()) this.#synchronizer.report(counter);
    this.#counters.clear();
    this.#counting.clear();
    await this.#synchronizer.end();
    await this.#store.close();
  }

  #open(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }

  #count(counter: LocalCounter, ask: Ask, cost: number): Promise<Reply> {
    counter.checks = ask.checks;
    this.#syncs.begin();
    const wasUnsynced = counter.unsynced;
    const reply = counter.decide(ask.checks, cost, this.#slice, this.clock.now(), 2 * this.#syncMs);
    if (!reply) return this.#synchronizer.ask(counter, ask, cost);
    // Early enough that the slice seldom ends before it is synced.
    if (2 * wasUnsynced < this.#slice && 2 * counter.unsynced >= this.#slice) this.#synchronizer.sync(counter);
    return Promise.resolve(reply);
  }

  /**
   * A counter for a kind of request, if it may be counted here. A limit of everyone, beside one of each user, is part of
   * as many kinds as there are users; were each of them counted apart, all of their slices would be unsynced. So one of
   * them is, and the others ask the store.
   */
  #newCounter(checks: readonly Check[]): LocalCounter | undefined {
    checks.forEach(leaseRuleOf);
    if (checks.some((check) => this.#counting.get([check]))) return undefined;
    const counter = new LocalCounter(checks);
    for (const check of checks) this.#counting.set([check], counter);
    return this.#counters.set(checks, counter);
  }

  #forget(counter: LocalCounter): void {
    this.#counters.delete(counter.checks);
    for (const check of counter.checks) this.#counting.delete([check]);
  }

  async #pass(ask: Ask): Promise<Reply> {
    ask.checks.forEach(leaseRuleOf);
    const reply = await this.#store.consume(ask, FRESH);
    if (ask.peek) {
      const counter = this.#counters.get(ask.checks);
      return withUnits(reply, 0 - (counter?.unsynced ?? 0));
    }
    const most = reply.taken ?? Math.max(...ask.checks.map(({ cost }) => cost));
    if (reply.allowed) for (const counter of this.#countingAny(ask.checks)) counter.passed(most);
    return reply;
  }

  #countingAny(checks: readonly Check[]): ReadonlySet<LocalCounter> {
    return new Set(checks.flatMap((check) => this.#counting.get([check]) ?? []));
  }

  async #syncAll(): Promise<void> {
    const counters = this.#counters.values();
    for (let i = 0; i < counters.length; i += AT_ONCE) {
      await Promise.all(counters.slice(i, i + AT_ONCE).map((counter) => this.#syncOrForget(counter)));
    }
  }

  async #syncOrForget(counter: LocalCounter): Promise<void> {
    // One that was reset meanwhile has nothing to report.
    if (this.#counters.get(counter.checks) !== counter) return;
    if (!counter.isUsed && counter.unsynced === 0) {
      this.#forget(counter);
      return;
    }
    counter.isUsed = false;
    await this.#synchronizer.sync(counter);
  }
}

/** Makes a change in the store, before and after which what was known of it is void. */
async function changing<T>(counters: Iterable<LocalCounter>, change: () => T | Promise<T>): Promise<T> {
  for (const counter of counters) counter.changed();
  try {
    return await change();
  } finally {
    for (const counter of counters) counter.changed();
  }
}
