import { checkAsyncStore } from '../async-store.js';
import { nextChargeId } from '../charge-id.js';
import type { Clock } from '../clock.js';
import { type Duration, durationMs } from '../duration.js';
import { SluiceError } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import { checkOptions } from '../option-checks.js';
import { markResilient, resilientStore } from '../resilience/resilient-store.js';
import type { Ask, Change, ChangeResult, Check, Reply, Store, Target } from '../store.js';
import { bestEffort } from './best-effort.js';
import { asAsked, withUnits } from './derived-reply.js';
import { Holding } from './holding.js';
import { leaseEndMs, returnableMs } from './lease-rule.js';
import { concerns, nameOf, sharedCost } from './request-kind.js';
import { Rounds } from './rounds.js';
import { Slice } from './slice.js';
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
 * `SLUICE_VERB`, one about a bucket that refills within the lease with `SLUICE_OPTION`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new LeasedStore({ store: new RedisStore({ client }), lease: '500ms' });
 * app.use(rateLimit({ limit: 100_000, window: '1m', keyGenerator: everyone(), store }));
 */
export class LeasedStore implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports: Store['supports'];
  readonly remote: NonNullable<Store['remote']>;

  readonly #store: Store;
  readonly #leaseMs: number;
  readonly #stricter: Stricter;
  readonly #holdings = new Map<string, Holding>();
  /** Once in a lease: gives back what nobody came for. */
  readonly #sweeps: Rounds;
  #isClosed = false;

  constructor(options: LeasedStoreOptions) {
    checkOptions(options, ['store', 'lease']);
    const { store, lease = 1000 } = options;
    checkAsyncStore(store, 'store');
    this.#store = resilientStore(store);
    this.#leaseMs = durationMs(lease, 'lease', 10);
    this.#stricter = new Stricter(this.#leaseMs);
    this.clock = store.clock;
    this.supports = store.supports;
    this.remote = store.remote ?? { timeoutMs: 50, instances: 1 };
    this.#sweeps = new Rounds(this.clock, this.#leaseMs, {
      isNeeded: () => this.#holdings.size > 0,
      round: () => this.#endIdle(this.clock.now()),
    });
    markResilient(this);
  }

  async consume(ask: Ask): Promise<Reply> {
    this.#open();
    const cost = sharedCost(ask);
    if (cost === undefined || !this.#isOneStep(ask)) return this.#pass(ask);
    const holding = this.#holdingOf(ask.checks);
    return this.#spent(holding, ask, cost) ?? this.#join(holding, ask, cost);
  }

  async adjust(change: Change): Promise<ChangeResult> {
    this.#open();
    return this.#store.adjust({ ...change, checks: this.#stricter.checks(change.checks) });
  }

  /** Also what this process holds of them; what others hold is spent for at most a lease more. */
  async reset(targets: readonly Target[]): Promise<void> {
    this.#open();
    for (const [name, { checks }] of this.#holdings) {
      if (concerns(targets, checks)) this.#holdings.delete(name);
    }
    return this.#store.reset(targets);
  }

  /** Gives back what is held, and closes the store beneath. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweeps.stop();
    const holdings = [...this.#holdings.values()];
    await Promise.allSettled(holdings.map(({ taking }) => taking));
    this.#holdings.clear();
    const ended = holdings.map((holding) => ({ holding, slice: holding.end(this.clock.now()) }));
    await Promise.all(ended.map(({ holding, slice }) => slice && this.#giveBack(holding, slice)));
    await this.#store.close();
  }

  #open(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }

  /** Whether the store decides about all of it in one step, as taking what fits has to be. */
  #isOneStep({ checks }: Ask): boolean {
    return this.supports.atomicAcrossKeys || checks.every(({ key }) => key === checks[0]?.key);
  }

  #holdingOf(checks: readonly Check[]): Holding {
    return getOrMake(this.#holdings, nameOf(checks), () => new Holding(checks));
  }

  #spent({ slice }: Holding, { checks }: Ask, cost: number): Reply | undefined {
    const nowMs = this.clock.now();
    return slice?.has(cost, nowMs) ? slice.spend(checks, cost, nowMs) : undefined;
  }

  /** Waits for the slice that is on its way, if there is one, and takes another where that was not enough. */
  async #join(holding: Holding, ask: Ask, cost: number): Promise<Reply> {
    while (holding.taking) {
      const refusal = await holding.taking;
      // Who asks for no less would have been refused as well.
      if (refusal && cost >= refusal.cost) return asAsked(ask, refusal.reply);
      const reply = this.#spent(holding, ask, cost);
      if (reply) return reply;
    }
    const taken = this.#take(holding, ask, cost);
    holding.taking = taken
      .then((reply) => (reply.allowed ? undefined : { cost, reply }))
      .finally(() => {
        holding.taking = undefined;
      });
    // Those who wait hear of a failure, too; here it is heard of by `taken`.
    holding.taking.catch(() => {});
    return taken;
  }

  async #take(holding: Holding, ask: Ask, cost: number): Promise<Reply> {
    this.#sweeps.begin();
    const ended = holding.end(this.clock.now());
    if (ended) this.#giveBack(holding, ended);
    holding.checks = ask.checks;
    const size = holding.nextSize(cost, this.remote.instances);
    const askedMs = this.clock.now();
    const reply = await this.#store.consume({ ...ask, checks: this.#stricter.checks(ask.checks, size), atLeast: cost });
    if (!reply.allowed) return this.#refusal(ask, reply, size > cost);
    const slice = new Slice(reply, askedMs, leaseEndMs(ask.checks, reply, askedMs, this.#leaseMs));
    // What this request asked for is spent now, however long the answer took.
    const answer = slice.spend(ask.checks, cost, askedMs);
    if (this.#holdings.get(nameOf(ask.checks)) === holding) holding.slice = slice;
    else this.#giveBack(holding, slice);
    return answer;
  }

  /**
   * A store that was asked for more than this request needs has told when that fits; so it is asked again, for the
   * request alone.
   */
  async #refusal(ask: Ask, reply: Reply, askedForMore: boolean): Promise<Reply> {
    return asAsked(ask, askedForMore && !reply.outsideEdges ? await this.#store.consume(this.#strict(ask)) : reply);
  }

  /** What is not leased is asked for by the same stricter limits, so that the two can stand beside each other. */
  async #pass(ask: Ask): Promise<Reply> {
    const reply = asAsked(ask, await this.#store.consume(this.#strict(ask)));
    if (!ask.look) return reply;
    const slice = this.#holdings.get(nameOf(ask.checks))?.slice;
    return slice && !slice.isOver(this.clock.now()) ? withUnits(reply, slice.left) : reply;
  }

  #strict(ask: Ask): Ask {
    return { ...ask, checks: this.#stricter.checks(ask.checks) };
  }

  /** What cannot be given back runs out. */
  async #giveBack({ checks }: Holding, { left, atMs }: Slice): Promise<void> {
    if (left === 0) return;
    const changes = this.#stricter.checks(checks, -left).map((check) => ({
      checks: [check],
      atMs,
      id: nextChargeId(),
      notAfterMs: atMs + returnableMs(check.limit, left),
    }));
    await bestEffort(checks, () => Promise.all(changes.map((change) => this.#store.adjust(change))));
  }

  #endIdle(nowMs: number): void {
    for (const [name, holding] of this.#holdings) {
      if (holding.taking || (holding.slice && !holding.slice.isOver(nowMs))) continue;
      this.#holdings.delete(name);
      const ended = holding.end(nowMs);
      if (ended) this.#giveBack(holding, ended);
    }
  }
}
