import { nextChargeId } from '../charge-id.js';
import type { Clock } from '../clock.js';
import { type Duration, durationMs } from '../duration.js';
import { optionError, SluiceError } from '../error.js';
import { publish } from '../events.js';
import { getOrMake } from '../get-or-make.js';
import { checkOptions, checkWhole } from '../option-checks.js';
import { markResilient, resilientStore } from '../resilience/resilient-store.js';
import type { Ask, Change, ChangeResult, Reply, Store, Target } from '../store.js';
import { withUnits } from './as-asked.js';
import { concerns, nameOf, sharedCost } from './request-kind.js';
import { leaseRuleOf } from './stricter.js';
import { Tally } from './tally.js';

export interface SyncedStoreOptions {
  /** Where all processes count together: a store that answers by promises, such as a RedisStore. */
  store: Store<true>;
  /** How often what was counted here is told there, and what others counted is learned: at least 10 ms, default 1 s. */
  sync?: Duration;
  /** The most units of a kind of request that this process admits untold: 1 or more, default 10. */
  slice?: number;
}

/**
 * Counts in this process and tells another store of it from time to time, so that no request waits for it but the first of a key, and
 * one in `slice` of those that come between two times. The price is a worst case above the limit:
 * `boundOf(limit, window, { sync, slice, instances })`.
 *
 * For limits that may be passed a little: where they may not, use a `LeasedStore`.
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
  readonly #syncMs: number;
  readonly #slice: number;
  readonly #tallies = new Map<string, Tally>();
  readonly #closing = new AbortController();
  #isSyncing = false;

  constructor(options: SyncedStoreOptions) {
    checkOptions(options, ['store', 'sync', 'slice']);
    const { store, sync = 1000, slice = 10 } = options;
    if (typeof store?.consume !== 'function' || !store.async) {
      throw optionError('store', 'must be a store that answers by promises, like new RedisStore()', store);
    }
    this.#store = resilientStore(store);
    this.#syncMs = durationMs(sync, 'sync', 10);
    this.#slice = checkWhole(slice, 'slice', 1);
    this.clock = store.clock;
    this.supports = store.supports;
    this.remote = store.remote ?? { timeoutMs: 50, instances: 1 };
    markResilient(this);
  }

  async consume(ask: Ask): Promise<Reply> {
    this.#open();
    ask.checks.forEach(leaseRuleOf);
    const cost = sharedCost(ask);
    if (cost === undefined || cost > this.#slice) return this.#pass(ask);
    const tally = getOrMake(this.#tallies, nameOf(ask.checks), () => new Tally());
    tally.checks = ask.checks;
    tally.isUsed = true;
    this.#sync();
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
    for (const [name, { checks }] of this.#tallies) if (concerns(targets, checks)) this.#tallies.delete(name);
    return this.#store.reset(targets);
  }

  /** Tells what was not told yet, and closes the store beneath. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#tallies.values()].map((tally) => this.#reportQuietly(tally)));
    this.#tallies.clear();
    await this.#store.close();
  }

  #open(): void {
    if (this.#closing.signal.aborted) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
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

  /** Tells of a failure and lets it go: what could not be told stays here until the next time. */
  async #reportQuietly(tally: Tally): Promise<void> {
    try {
      await this.#report(tally);
    } catch (error) {
      publish('sluice:store-error', { error, policy: tally.checks[0]?.policy ?? '', source: 'store' });
    }
  }

  /** Again and again, while anything is counted here. */
  async #sync(): Promise<void> {
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    try {
      while (this.#tallies.size > 0) {
        await this.clock.sleep(this.#syncMs, this.#closing.signal);
        await Promise.all([...this.#tallies].map(([name, tally]) => this.#syncOne(name, tally)));
      }
    } catch {
      // Closed, and told by that; over a clock that cannot sleep, only what fills the slice is told.
    } finally {
      this.#isSyncing = false;
    }
  }

  async #syncOne(name: string, tally: Tally): Promise<void> {
    if (!tally.isUsed && tally.unreported === 0) this.#tallies.delete(name);
    else {
      tally.isUsed = false;
      await this.#reportQuietly(tally);
    }
  }
}
