import { isMistake } from '../../values/error.js';
import { nextOperationId } from '../../values/operation-id.js';
import { concerns } from '../check-set-map.js';
import type { DeadlineBudget } from '../deadline.js';
import { InFlight } from '../remote/in-flight.js';
import { FRESH, type ProtectedStore } from '../remote/protected-store.js';
import type { Ask, Change, Reply, Target } from '../store.js';
import { publishStoreError } from '../store-failure.js';
import { leaseEndMs, returnableMs } from './lease-rule.js';
import type { AcquireResult, LeaseState } from './lease-state.js';
import { Refusal } from './refusal.js';
import { Slice } from './slice.js';
import type { Stricter } from './stricter.js';

/** How long an answer that was given up is waited for all the same. */
const LATEST_MS = 5000;

/** How long it is tried to give back what the store cannot take. */
const OWED_MS = 60_000;

/** How many slices may be owed at once: what is more runs out. */
const MOST_OWED = 10_000;

/** Takes slices from a store, by stricter limits, and gives them back. */
export class SliceSource {
  readonly #store: ProtectedStore;
  readonly #leaseMs: number;
  readonly #instances: number;
  readonly #stricter: Stricter;
  /** What could not be given back yet, and until when that is tried. */
  readonly #owed = new Map<Change, number>();
  readonly #owing: () => void;
  readonly #returns = new InFlight();
  #isReturning = false;
  #resets = 0;

  /** @param owing - called when there is something that `giveBackOwed` has to give back. */
  constructor(store: ProtectedStore, leaseMs: number, stricter: Stricter, owing: () => void) {
    this.#store = store;
    this.#owing = owing;
    this.#leaseMs = leaseMs;
    this.#instances = store.remote?.instances ?? 1;
    this.#stricter = stricter;
  }

  /** Takes a slice for all who wait for one, of whom the first asks for `cost`; it has its units while it is patient. */
  async take(lease: LeaseState, ask: Ask, cost: number, budget: DeadlineBudget): Promise<AcquireResult> {
    const { clock } = this.#store;
    // All who ask in this turn are to be in the question.
    await undefined;
    const ended = lease.end(clock.now());
    if (ended) this.giveBack(ended);
    const { checks } = ask;
    lease.checks = checks;
    const { resets } = lease;
    const size = this.#sizeOf(lease, ask, cost);
    const askedMs = clock.now();
    const sliceOf = (reply: Reply): Slice => {
      return new Slice(checks, reply, askedMs, leaseEndMs(checks, reply, askedMs, this.#leaseMs));
    };
    // What was reset meanwhile was charged before that, or is lost: it is not given back to what began anew.
    const keep = (slice: Slice): void => {
      const spare = lease.resets === resets ? lease.receive(slice, clock.now()) : undefined;
      if (spare) this.giveBack(spare);
    };
    const asked = { ...ask, checks: this.#stricter.checks(checks, size), atLeast: cost };
    const reply = await this.#asked(lease, asked, (late) => keep(sliceOf(late)));
    if (!reply.allowed) {
      lease.refused();
      const isExact = size === cost || reply.outsideEdges === true;
      return { refusal: new Refusal(cost, reply, isExact ? async () => reply : () => this.#look(ask)) };
    }
    const slice = sliceOf(reply);
    const answer = budget.isOver ? undefined : slice.spend(checks, cost, askedMs);
    keep(slice);
    return { answer, refusal: new Refusal(slice.remainingThere + 1, reply, () => this.#look(ask)) };
  }

  /** The answer. One that comes after it was given up, and took something, is `late`. */
  async #asked(lease: LeaseState, ask: Ask, late: (reply: Reply) => void): Promise<Reply> {
    const { clock, remote } = this.#store;
    try {
      return await this.#store.consume(ask, {
        isFresh: true,
        late: (reply) => {
          if (reply.allowed && clock.now() < lease.lateUntilMs) late(reply);
        },
      });
    } catch (error) {
      if (remote) lease.lateUntilMs = clock.now() + LATEST_MS;
      throw error;
    }
  }

  /** Gives back what is left of a slice. What the store cannot take now is given back by `giveBackOwed`. */
  giveBack(slice: Slice, checks = slice.checks): Promise<void> {
    return this.#returns.add(this.#giveBack(slice, checks));
  }

  async #giveBack(slice: Slice, checks: Slice['checks']): Promise<void> {
    const { left, atMs } = slice;
    if (left === 0) return;
    const nowMs = this.#store.clock.now();
    const changes = this.#stricter.checks(checks, -left).map((check) => ({
      checks: [check],
      atMs,
      id: nextOperationId(),
      notAfterMs: atMs + returnableMs(check.limit, left),
    }));
    await Promise.all(changes.map((change) => this.#return(change, nowMs + OWED_MS)));
  }

  /** Whether anything is to be given back that could not be until now. */
  get isOwing(): boolean {
    return this.#owed.size > 0;
  }

  /** Tries again to give back what could not be. What was, though the answer was lost, is not given back twice. */
  giveBackOwed(): Promise<void> {
    return this.#returns.add(this.#giveBackOwed());
  }

  async #giveBackOwed(): Promise<void> {
    if (this.#isReturning) return;
    this.#isReturning = true;
    const nowMs = this.#store.clock.now();
    for (const [change, untilMs] of this.#owed) if (nowMs >= untilMs) this.#owed.delete(change);
    const [first, ...others] = this.#owed;
    // While the store is gone, one is enough to learn it.
    if (first && (await this.#return(...first))) await Promise.all(others.map((owed) => this.#return(...owed)));
    this.#isReturning = false;
  }

  /** Resolves when all that it began to give back is there, or cannot be given back now. */
  returned(): Promise<void> {
    return this.#returns.ended();
  }

  /** Called before a reset: what was charged before it is not given back to what begins anew. */
  forget(targets: readonly Target[]): void {
    this.#resets += 1;
    for (const change of this.#owed.keys()) if (concerns(targets, change.checks)) this.#owed.delete(change);
  }

  /** False where the store has to be asked again. */
  async #return(change: Change, untilMs: number): Promise<boolean> {
    const resets = this.#resets;
    try {
      await this.#store.adjust(change);
      this.#owed.delete(change);
      return true;
    } catch (error) {
      if (isMistake(error)) {
        this.#owed.delete(change);
        return true;
      }
      if (this.#owed.has(change)) return false;
      publishStoreError(change.checks, error);
      if (this.#resets === resets && this.#owed.size < MOST_OWED) this.#owed.set(change, untilMs);
      this.#owing();
      return false;
    }
  }

  /** No more than there ever is: the answer also tells when so much fits again. */
  #sizeOf(lease: LeaseState, { checks }: Ask, cost: number): number {
    const most = Math.min(...this.#stricter.checks(checks).map(({ limit }) => limit.quota));
    return Math.max(cost, Math.min(most, lease.nextSize(this.#instances)));
  }

  /** What the store says to this request alone. */
  async #look(ask: Ask): Promise<Reply> {
    return this.#store.consume({ ...ask, checks: this.#stricter.checks(ask.checks), peek: true }, FRESH);
  }
}
