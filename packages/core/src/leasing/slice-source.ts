import { nextChargeId } from '../charge-id.js';
import type { Patience } from '../resilience/patience.js';
import type { Ask, Check, Reply, Store } from '../store.js';
import { bestEffort } from './best-effort.js';
import type { Holding, Taken } from './holding.js';
import { leaseEndMs, returnableMs } from './lease-rule.js';
import { Refusal } from './refusal.js';
import { Slice } from './slice.js';
import type { Stricter } from './stricter.js';

/** Takes slices from a store, by stricter limits, and gives them back. */
export class SliceSource {
  readonly #store: Store;
  readonly #leaseMs: number;
  readonly #instances: number;
  readonly #stricter: Stricter;

  constructor(store: Store, leaseMs: number, stricter: Stricter) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#instances = store.remote?.instances ?? 1;
    this.#stricter = stricter;
  }

  /** Takes a slice for all who wait for one, of whom the first asks for `cost`; it has its units while it is patient. */
  async take(holding: Holding, ask: Ask, cost: number, patience: Patience): Promise<Taken> {
    const { clock } = this.#store;
    // All who ask in this turn are to be in the question.
    await undefined;
    const ended = holding.end(clock.now());
    if (ended) this.giveBack(holding.checks, ended);
    holding.checks = ask.checks;
    const { resets } = holding;
    const size = this.#sizeOf(holding, ask, cost);
    const askedMs = clock.now();
    const reply = await this.#store.consume({ ...ask, checks: this.#stricter.checks(ask.checks, size), atLeast: cost });
    if (!reply.allowed) {
      holding.refused();
      const isExact = size === cost || reply.outsideEdges === true;
      return { refusal: new Refusal(cost, reply, isExact ? async () => reply : () => this.#look(ask)) };
    }
    const slice = new Slice(reply, askedMs, leaseEndMs(ask.checks, reply, askedMs, this.#leaseMs));
    // What was reset meanwhile was charged before that, or is lost: it is not given back to what began anew.
    if (holding.resets === resets) holding.slice = slice;
    const answer = patience.isOver ? undefined : slice.spend(ask.checks, cost, askedMs);
    return { answer, refusal: new Refusal(slice.remainingThere + 1, reply, () => this.#look(ask)) };
  }

  /** What cannot be given back runs out. */
  async giveBack(checks: readonly Check[], { left, atMs }: Slice): Promise<void> {
    if (left === 0 || checks.length === 0) return;
    const changes = this.#stricter.checks(checks, -left).map((check) => ({
      checks: [check],
      atMs,
      id: nextChargeId(),
      notAfterMs: atMs + returnableMs(check.limit, left),
    }));
    await bestEffort(checks, () => Promise.all(changes.map((change) => this.#store.adjust(change))));
  }

  /** No more than there ever is: the answer also tells when so much fits again. */
  #sizeOf(holding: Holding, { checks }: Ask, cost: number): number {
    const most = Math.min(...this.#stricter.checks(checks).map(({ limit }) => limit.quota));
    return Math.max(cost, Math.min(most, holding.nextSize(this.#instances)));
  }

  /** What the store says to this request alone. */
  async #look(ask: Ask): Promise<Reply> {
    return this.#store.consume({ ...ask, checks: this.#stricter.checks(ask.checks), look: true });
  }
}
