import type { Clock } from '../../values/clock.js';
import { type Duration, durationMs } from '../../values/duration.js';
import { SluiceError } from '../../values/error.js';
import { checkOptions } from '../../values/option-checks.js';
import { CheckSetMap, concerns } from '../check-set-map.js';
import { checkExactStore } from '../check-store.js';
import { DeadlineBudget } from '../deadline.js';
import { type Keyspace, keyspacesOf } from '../keyspace.js';
import { FRESH, type ProtectedStore } from '../remote/protected-store.js';
import { remoteStore } from '../remote/remote-store.js';
import type { Ask, Change, ChangeReply, Check, Reply, Store, Target } from '../store.js';
import { asAsked, asChanged, withUnits } from './derived-reply.js';
import { type AcquireResult, LeaseState } from './lease-state.js';
import { ASSUMED_REMOTE, leasedCapabilities } from './leased-capabilities.js';
import { PeriodicTask } from './periodic-task.js';
import type { Refusal } from './refusal.js';
import { sharedCost } from './request-kind.js';
import { SliceSource } from './slice-source.js';
import { Stricter } from './stricter.js';

/** Where a LeasedStore takes its slices, and how long they last. */
export interface LeasedStoreOptions {
  /** Where the allowance is kept: a store that answers by promises, such as a RedisStore. */
  store: Store<true>;
  /** How long a slice may be spent after it was asked for: 10 ms to 100 years, default 1 s. */
  lease?: Duration;
}

/**
 * Takes slices of the allowance from another store and spends them in this process, so that most requests ask nobody.
 * Never above a limit: the store is asked by a stricter limit, whose bound over a window and the lease is the limit's
 * own over the window alone.
 *
 * Slices grow with demand and shrink towards the limit. What is not spent when the lease ends, or when the store is
 * closed, is given back; what a process held that died is lost until its window has passed. What others hold is missing
 * here, so that a key may be refused while there are units left elsewhere, and `remaining` is what this process knows
 * of.
 *
 * Sliding windows, their log, fixed windows and token buckets can be leased. A question about another limit fails with
 * `SLUICE_UNSUPPORTED`, one about a bucket that refills within the lease with `SLUICE_OPTION`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new LeasedStore({ store: new RedisStore({ client }), lease: '500ms' });
 * app.use(rateLimit({ limit: 100_000, window: '1m', keyGenerator: everyone(), store }));
 */
export class LeasedStore implements Store<true> {
  readonly async = true;
  readonly selfProtection = true;
  readonly clock: Clock;
  readonly supports: Store['supports'];
  readonly keyspaces: readonly Keyspace[];
  readonly remote: NonNullable<Store['remote']>;

  readonly #store: ProtectedStore;
  readonly #beneath: Store['remote'];
  readonly #stricter: Stricter;
  readonly #source: SliceSource;
  readonly #leases = new CheckSetMap<LeaseState>();
  /** Once in a lease: gives back what nobody came for. */
  readonly #sweeps: PeriodicTask;
  #isClosed = false;

  constructor(options: LeasedStoreOptions) {
    checkOptions(options, ['store', 'lease']);
    const { store, lease = 1000 } = options;
    checkExactStore(store, 'store');
    this.#store = remoteStore(store);
    this.#beneath = store.remote;
    const leaseMs = durationMs(lease, 'lease', 10);
    this.#stricter = new Stricter(leaseMs);
    this.#source = new SliceSource(this.#store, leaseMs, this.#stricter, () => this.#sweeps.begin());
    this.clock = store.clock;
    this.supports = leasedCapabilities(store.supports);
    this.keyspaces = keyspacesOf(store);
    this.remote = store.remote ?? ASSUMED_REMOTE;
    this.#sweeps = new PeriodicTask(this.clock, leaseMs, {
      isNeeded: () => this.#leases.size > 0 || this.#source.isOwing,
      run: () => {
        this.#source.giveBackOwed();
        this.#endIdle(this.clock.now());
      },
    });
  }

  consume(ask: Ask): Promise<Reply> {
    try {
      this.#open();
      const cost = sharedCost(ask);
      if (cost === undefined || !this.#isOneStep(ask)) return this.#pass(ask);
      const { checks } = ask;
      const lease = this.#leases.get(checks) ?? this.#leases.set(checks, new LeaseState(checks));
      const reply = this.#spent(lease, ask, cost);
      return reply ? Promise.resolve(reply) : this.#wait(lease, ask, cost);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Its verdicts count what this process holds for the same kind of request as not spent. */
  async adjust(change: Change): Promise<ChangeReply> {
    this.#open();
    const reply = await this.#store.adjust({ ...change, checks: this.#stricter.checks(change.checks) });
    const held = this.#heldUnits(change.checks);
    return asChanged(change, reply, () => held);
  }

  /**
   * Also what this process holds of them, which is no state of its own; what others hold is spent for at most a lease
   * more.
   */
  async reset(targets: readonly Target[]): Promise<number> {
    this.#open();
    this.#source.forget(targets);
    for (const lease of this.#leases.concernedBy(targets)) {
      const slice = lease.reset();
      // What it holds of limits that are not reset is still theirs.
      const others = slice?.checks.filter((check) => !concerns(targets, [check]));
      if (slice) this.#source.giveBack(slice, others);
    }
    return this.#store.reset(targets);
  }

  /** Gives back what is held, and closes the store beneath. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweeps.stop();
    const leases = [...this.#leases.values()];
    await Promise.allSettled(leases.map(({ taking }) => taking));
    this.#leases.clear();
    this.#source.giveBackOwed();
    for (const lease of leases) {
      const slice = lease.end(this.clock.now());
      if (slice) this.#source.giveBack(slice);
    }
    await this.#source.returned();
    await this.#store.close();
  }

  #open(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }

  /** Whether the store decides about all of it in one step, as taking what fits has to be. */
  #isOneStep({ checks }: Ask): boolean {
    return this.supports.atomicAcrossKeys || checks.every(({ key }) => key === checks[0]?.key);
  }

  #spent(lease: LeaseState, { checks }: Ask, cost: number): Reply | undefined {
    const { slice } = lease;
    const nowMs = this.clock.now();
    return slice?.has(cost, nowMs) && slice.isBy(checks) ? slice.spend(checks, cost, nowMs) : undefined;
  }

  /** Waits for a slice, for no longer than for one answer of the store. */
  async #wait(lease: LeaseState, ask: Ask, cost: number): Promise<Reply> {
    const budget = new DeadlineBudget(this.#beneath?.timeoutMs, this.#beneath);
    lease.wanted += cost;
    try {
      return await this.#join(lease, ask, cost, budget);
    } finally {
      lease.wanted -= cost;
    }
  }

  /** Waits for the slice that is on its way, if there is one, and asks for another where that was not enough. */
  async #join(lease: LeaseState, ask: Ask, cost: number, budget: DeadlineBudget): Promise<Reply> {
    for (;;) {
      let acquired: AcquireResult;
      try {
        acquired = lease.taking
          ? { ...(await budget.within(lease.taking)), answer: undefined }
          : await budget.within(this.#take(lease, ask, cost, budget));
      } catch (error) {
        // The answer to an earlier question may have come late, and in time for this one.
        const reply = this.#spent(lease, ask, cost);
        if (reply) return reply;
        throw error;
      }
      const { answer, refusal } = acquired;
      const reply = answer ?? this.#spent(lease, ask, cost) ?? (await this.#refused(lease, ask, cost, refusal, budget));
      if (reply) return reply;
    }
  }

  /** Who asks for no less than another who was refused would have been refused as well. */
  async #refused(
    lease: LeaseState,
    ask: Ask,
    cost: number,
    refusal: Refusal,
    budget: DeadlineBudget,
  ): Promise<Reply | undefined> {
    const isCertain = cost >= refusal.cost + (lease.slice?.left ?? 0) && lease.isBy(ask.checks);
    return isCertain ? refusal.of(ask, budget) : undefined;
  }

  #take(lease: LeaseState, ask: Ask, cost: number, budget: DeadlineBudget): Promise<AcquireResult> {
    this.#open();
    this.#sweeps.begin();
    lease.taking = this.#source.take(lease, ask, cost, budget).finally(() => {
      lease.taking = undefined;
    });
    return lease.taking;
  }

  /** What is not leased is asked for by the same stricter limits, so that the two can stand beside each other. */
  async #pass(ask: Ask): Promise<Reply> {
    const reply = asAsked(ask, await this.#store.consume(this.#strict(ask), FRESH));
    if (!ask.peek) return reply;
    return withUnits(reply, this.#heldUnits(ask.checks));
  }

  /** Units that this process holds for a kind of request. */
  #heldUnits(checks: readonly Check[]): number {
    const slice = this.#leases.get(checks)?.slice;
    return slice && !slice.isOver(this.clock.now()) ? slice.left : 0;
  }

  #strict(ask: Ask): Ask {
    return { ...ask, checks: this.#stricter.checks(ask.checks) };
  }

  #endIdle(nowMs: number): void {
    for (const lease of this.#leases.values()) {
      if (!lease.isIdle(nowMs)) continue;
      if (nowMs >= lease.lateUntilMs) this.#leases.delete(lease.checks);
      const ended = lease.end(nowMs);
      if (ended) this.#source.giveBack(ended);
    }
  }
}
