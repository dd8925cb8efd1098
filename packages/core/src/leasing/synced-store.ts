import { checkAsyncStore } from '../async-store.js';
import { nextChargeId } from '../charge-id.js';
import type { Clock } from '../clock.js';
import { type Duration, durationMs } from '../duration.js';
import { SluiceError } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import { checkOptions, checkWhole } from '../option-checks.js';
import { markResilient, resilientStore } from '../resilience/resilient-store.js';
import type { Ask, Change, ChangeResult, Check, Reply, Store, Target } from '../store.js';
import { bestEffort } from './best-effort.js';
import { withUnits } from './derived-reply.js';
import { leaseRuleOf } from './lease-rule.js';
import { concerns, nameOf, sharedCost } from './request-kind.js';
import { Rounds } from './rounds.js';
import { Tally } from './tally.js';

/** Whom a SyncedStore tells what it counted, how often, and how much it may admit before that. */
export interface SyncedStoreOptions {
  /** Where all processes count together: a store that answers by promises, such as a RedisStore. */
  store: Store<true>;
  /**
   * How often what was counted here is told there, and what others counted is learned: 10 ms to 100 years, default 1 s.
   */
  sync?: Duration;
  /** The most units of one kind of request that this process admits untold: whole, at least 1, default 10. */
  slice?: number;
}

/**
 * Counts in this process and tells another store of it once in `sync`. Only these wait for that store: the first
 * request of a key, one that would make more than `slice` units untold, one that costs more than `slice`, and the first
 * that is refused. The price is a worst case above the limit: `boundOf(limit, window, { sync, slice, instances })`.
 *
 * For limits that may be passed a little: where they may not, use a `LeasedStore`. Both take the same limits, and a
 * question about another fails with `SLUICE_VERB`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new SyncedStore({ store: new RedisStore({ client }), sync: '5s', slice: 50 });
 * app.use(rateLimit({ limit: 1000, window: '1m', store }));
 */
export class SyncedStore implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports: Store['supports'];
  readonly remote: NonNullable<Store['remote']>;

  readonly #store: Store;
  readonly #slice: number;
  readonly #tallies = new Map<string, Tally>();
  /** By the name of a single check, the kind of request whose tally counts it. */
  readonly #kinds = new Map<string, string>();
  /** Once in `sync`: tells what was counted here, and learns what others counted. */
  readonly #syncs: Rounds;
  #isClosed = false;

  constructor(options: SyncedStoreOptions) {
    checkOptions(options, ['store', 'sync', 'slice']);
    const { store, sync = 1000, slice = 10 } = options;
    checkAsyncStore(store, 'store');
    this.#store = resilientStore(store);
    this.#slice = checkWhole(slice, 'slice', 1);
    this.clock = store.clock;
    this.supports = store.supports;
    this.remote = store.remote ?? { timeoutMs: 50, instances: 1 };
    this.#syncs = new Rounds(this.clock, durationMs(sync, 'sync', 10), {
      isNeeded: () => this.#tallies.size > 0,
      round: () => this.#syncAll(),
    });
    markResilient(this);
  }

  async consume(ask: Ask): Promise<Reply> {
    this.#open();
    ask.checks.forEach(leaseRuleOf);
    const cost = sharedCost(ask);
    if (cost === undefined || cost > this.#slice) return this.#pass(ask);
    const kind = nameOf(ask.checks);
    if (!this.#isCountedBy(kind, ask.checks)) return this.#pass(ask);
    const tally = getOrMake(this.#tallies, kind, () => new Tally());
    tally.checks = ask.checks;
    tally.isUsed = true;
    this.#syncs.begin();
    while (tally.hasToReport(cost, this.#slice)) {
      const reply = await this.#report(tally);
      if (reply.outsideEdges) return reply;
    }
    const allowed = cost <= tally.free;
    if (allowed) tally.unreported += cost;
    return tally.answer(ask.checks, allowed, this.clock.now());
  }

  async adjust(change: Change): Promise<ChangeResult> {
    this.#open();
    return this.#store.adjust(change);
  }

  async reset(targets: readonly Target[]): Promise<void> {
    this.#open();
    for (const [name, { checks }] of this.#tallies) if (concerns(targets, checks)) this.#forget(name, checks);
    return this.#store.reset(targets);
  }

  /** Tells what was not told yet, and closes the store beneath. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#syncs.stop();
    const tallies = [...this.#tallies.values()];
    // A report that is on its way tells nothing of what was admitted since.
    await Promise.allSettled(tallies.map(({ reporting }) => reporting));
    await Promise.all(tallies.map((tally) => tally.unreported > 0 && this.#reportQuietly(tally)));
    this.#tallies.clear();
    this.#kinds.clear();
    await this.#store.close();
  }

  #open(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }

  /**
   * Whether a kind of request may be counted here. A limit of everyone, beside one of each user, is part of as many kinds
   * as there are users; were each of them counted apart, all of their slices would be untold. So one of them is, and the
   * others ask the store.
   */
  #isCountedBy(kind: string, checks: readonly Check[]): boolean {
    const names = checks.map((check) => nameOf([check]));
    if (!names.every((name) => (this.#kinds.get(name) ?? kind) === kind)) return false;
    for (const name of names) this.#kinds.set(name, kind);
    return true;
  }

  #forget(kind: string, checks: readonly Check[]): void {
    this.#tallies.delete(kind);
    for (const check of checks) this.#kinds.delete(nameOf([check]));
  }

  async #pass(ask: Ask): Promise<Reply> {
    const reply = await this.#store.consume(ask);
    const tally = ask.look && this.#tallies.get(nameOf(ask.checks));
    return tally && !reply.outsideEdges ? withUnits(reply, -tally.unreported) : reply;
  }

  /** Tells the store what was admitted here, and learns how it stands; once for all who wait for it. */
  #report(tally: Tally): Promise<Reply> {
    tally.reporting ??= this.#exchange(tally).finally(() => {
      tally.reporting = undefined;
    });
    return tally.reporting;
  }

  async #exchange(tally: Tally): Promise<Reply> {
    const { checks, unreported } = tally;
    if (unreported > 0) {
      const charged = checks.map((check) => ({ ...check, cost: unreported }));
      const result = await this.#store.adjust({ checks: charged, id: nextChargeId() });
      if (result !== 'outside-edges') tally.reported(unreported);
    }
    const reply = await this.#store.consume({ checks, look: true });
    if (!reply.outsideEdges) tally.see(reply, this.clock.now());
    return reply;
  }

  /** What could not be told stays here until the next time. */
  #reportQuietly(tally: Tally): Promise<void> {
    return bestEffort(tally.checks, () => this.#report(tally));
  }

  async #syncAll(): Promise<void> {
    await Promise.all([...this.#tallies].map(([name, tally]) => this.#sync(name, tally)));
  }

  async #sync(name: string, tally: Tally): Promise<void> {
    if (!tally.isUsed && tally.unreported === 0) {
      this.#forget(name, tally.checks);
      return;
    }
    tally.isUsed = false;
    await this.#reportQuietly(tally);
  }
}
