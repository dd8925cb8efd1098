// Why it is so: core/docs/why/stores-in-front.md

import type { Blocks } from '@sluice/core/src/stores/blocks';
import { CheckSetMap, concerns } from '@sluice/core/src/stores/check-set-map';
import type {
  Change,
  ChangeResponse,
  Consumed,
  LimitCheck,
  PolicyOutline,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '@sluice/core/src/stores/store';
import { type Duration, durationMs } from '@sluice/core/src/values/duration';
import { checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import { FRESH } from '@sluice/remote/guard/protected-store';
import { asAsked, asChanged, withUnits } from '../in-front/derived-response.js';
import { PeriodicTask } from '../in-front/periodic-task.js';
import { sharedCost } from '../in-front/request-kind.js';
import { StoreBeneath } from '../in-front/store-beneath.js';
import { MOST_KINDS, StoreInFront } from '../in-front/store-in-front.js';
import { LeaseState } from './lease-state.js';
import { SliceSource } from './slice-source.js';
import { Stricter } from './stricter.js';
import { WaitingForSlices } from './waiting-for-slices.js';

/** The options of a LeasedStore. */
export interface LeasedStoreOptions {
  /** The store that keeps the limits: one that returns promises, such as a RedisStore. */
  store: Store<true>;
  /** How long a slice can be spent after it was asked for: 10 ms to 100 years. Default: 1 s. */
  lease?: Duration;
  /**
   * How many requests in a lease make a key busy: a whole number of at least 1. Units of a busy key are taken in advance. For any other
   * key, each request asks the store, because a slice costs the store more than so few requests. Default: 12. With 1, units are always
   * taken in advance, which saves waiting where the store is far away.
   */
  busyFrom?: number;
}

/** To take a slice and to give it back costs Redis as much as some ten requests: `npm run bench -- fleet`. */
const BUSY_FROM = 12;

/**
 * Takes slices of a limit from another store and spends them in this process. Most requests then need no call to that
 * store. It never admits more than the limit. Choose it for popular keys whose limit must hold. If
 * a few units above the limit do not matter, you can also use a `SyncedStore`.
 *
 * It asks the store for a stricter limit. The bound of that limit over a window plus the lease is the bound of your
 * limit over the window alone.
 *
 * Units are taken in advance for a key that is busy enough to gain from it (`busyFrom`), and has units left. Any other key costs the store
 * what it costs without a `LeasedStore`. Slices grow with demand, and shrink towards the limit. Units that are not spent when the lease ends, or when the
 * store is closed, are given back. If a process dies, its units are lost until their window has passed. Units that
 * other processes hold are missing here: a key may be refused although they have units left, and `remaining` is what
 * this process knows.
 *
 * You can lease sliding windows, sliding window logs, fixed windows and token buckets. A policy with another limit is
 * refused with `SLUICE_UNSUPPORTED`, and one with a bucket that refills within the lease with `SLUICE_OPTION`. If a
 * function chooses the limit, the request is refused instead.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new LeasedStore({ store: new RedisStore({ client }), lease: '500ms' });
 * app.use(rateLimit({ limit: 100_000, window: '1m', keyGenerator: everyone(), store }));
 */
export class LeasedStore extends StoreInFront implements Store<true> {
  /** A block refuses in this process at once, and in others when their lease ends. */
  readonly blocks?: Blocks<true>;

  readonly #beneath: StoreBeneath;
  readonly #stricter: Stricter;
  readonly #source: SliceSource;
  readonly #waiting: WaitingForSlices;
  readonly #leases = new CheckSetMap<LeaseState>(MOST_KINDS);
  readonly #newLease: (checks: readonly LimitCheck[]) => LeaseState;
  /** Gives back unused units, once per lease. */
  readonly #sweeps: PeriodicTask;

  constructor(options: LeasedStoreOptions) {
    checkOptions(options, ['store', 'lease', 'busyFrom']);
    const { store, lease = 1000, busyFrom = BUSY_FROM } = options;
    const beneath = new StoreBeneath(store);
    super(beneath);
    this.#beneath = beneath;
    const leaseMs = durationMs(lease, 'lease', 10);
    checkWhole(busyFrom, 'busyFrom', 1);
    this.#newLease = (checks) => new LeaseState(checks, leaseMs, busyFrom);
    this.#stricter = new Stricter(leaseMs);
    const spreadLeaseMs = (): number => beneath.spreadMs(leaseMs);
    this.#source = new SliceSource(beneath.store, spreadLeaseMs, this.#stricter, () => this.#sweeps.begin());
    this.#waiting = new WaitingForSlices(this.#source, this.#beneath);
    const blocks = this.#beneath.blocks(async (targets, change) => {
      this.#endSlices(targets, []);
      return change();
    });
    if (blocks) this.blocks = blocks;
    this.#sweeps = new PeriodicTask(this.clock, spreadLeaseMs, {
      isNeeded: () => this.#leases.size > 0 || this.#source.hasPendingReturns,
      run: () => {
        this.#source.retryReturns();
        this.#endIdle(this.clock.now());
      },
    });
  }

  /** Refuses limits that cannot be leased, or not for this long. A limit that a function chooses is checked when it is asked about. */
  accept(policy: PolicyOutline): void {
    this.#stricter.accept(policy);
    this.#beneath.store.accept?.(policy);
  }

  /** Returns the response itself if a slice has the units. */
  consume(request: StoreRequest): Consumed<true> {
    return this.#spendSlice(request) ?? this.#askStore(request);
  }

  /** Decides a request that a slice has units for. */
  #spendSlice(request: StoreRequest): StoreResponse | undefined {
    const cost = this.#beneath.isClosed ? undefined : sharedCost(request);
    const lease = cost === undefined ? undefined : this.#leases.get(request.checks);
    if (!lease || !this.#isOneStep(request)) return undefined;
    return lease.spend(request.checks, cost as number, this.clock.now());
  }

  #askStore(request: StoreRequest): Consumed<true> {
    try {
      this.#beneath.checkOpen();
      const cost = sharedCost(request);
      if (cost === undefined || !this.#isOneStep(request)) return this.#passOn(request);
      const { checks } = request;
      const lease = this.#leases.of(checks, () => this.#newLease(checks));
      if (!lease) return this.#source.ask(this.#newLease(checks), request);
      this.#sweeps.begin();
      const wantsSlice = lease.wantsSlice(cost, this.#source.instances, this.clock.now());
      return wantsSlice || lease.taking ? this.#waiting.wait(lease, request, cost) : this.#source.ask(lease, request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** In its verdicts, units that this process holds for the same kind of request count as not spent. */
  async adjust(change: Change): Promise<ChangeResponse> {
    this.#beneath.checkOpen();
    const response = await this.#beneath.store.adjust({ ...change, checks: this.#stricter.checks(change.checks) });
    const held = this.#heldUnits(change.checks);
    return asChanged(change, response, () => held);
  }

  /**
   * Also removes the units that this process holds, which are not counted as a state. Other processes can spend their
   * units for at most one more lease.
   */
  async reset(targets: readonly Target[]): Promise<number> {
    this.#beneath.checkOpen();
    this.#source.forget(targets);
    this.#endSlices(targets, targets);
    return this.#beneath.store.reset(targets);
  }

  /** Spends no more units of these targets that were taken before. Gives them back, except for the limits that are reset. */
  #endSlices(targets: readonly Target[], isReset: readonly Target[]): void {
    for (const lease of this.#leases.concernedBy(targets)) {
      const { restarts } = lease;
      const slice = lease.restart((check) => concerns(isReset, [check]));
      // Its units of limits that are not reset are still valid.
      if (slice) this.#source.giveBack(slice, lease.notResetSince(restarts, slice.checks));
    }
  }

  /** Gives back all units, and closes the store beneath. */
  async close(): Promise<void> {
    this.#beneath.isClosed = true;
    this.#sweeps.stop();
    const leases = [...this.#leases.values()];
    await Promise.allSettled(leases.map(({ taking }) => taking));
    this.#leases.clear();
    this.#source.retryReturns();
    for (const lease of leases) {
      const slice = lease.end(this.clock.now());
      if (slice) this.#source.giveBack(slice);
    }
    await this.#source.returned();
    await this.#beneath.store.close();
  }

  /** Whether the store decides all checks in one step. Taking the units that fit needs that. */
  #isOneStep({ checks }: StoreRequest): boolean {
    return this.supports.atomicAcrossKeys || checks.every(({ key }) => key === checks[0]?.key);
  }

  /** A request without a slice uses the same stricter limits, so that both use the same states. */
  async #passOn(request: StoreRequest): Promise<StoreResponse> {
    const response = asAsked(request, await this.#beneath.store.consume(this.#strict(request), FRESH));
    if (!request.peek) return response;
    return withUnits(response, this.#heldUnits(request.checks));
  }

  /** Returns the units that this process holds for a kind of request. */
  #heldUnits(checks: readonly LimitCheck[]): number {
    const slice = this.#leases.get(checks)?.slice;
    return slice && !slice.isOver(this.clock.now()) ? slice.left : 0;
  }

  #strict(request: StoreRequest): StoreRequest {
    return { ...request, checks: this.#stricter.checks(request.checks) };
  }

  #endIdle(nowMs: number): void {
    for (const lease of this.#leases.values()) {
      if (!lease.isIdle(nowMs)) continue;
      if (lease.isForgotten(nowMs)) this.#leases.delete(lease.checks);
      const ended = lease.end(nowMs);
      if (ended) this.#source.giveBack(ended);
    }
  }
}
