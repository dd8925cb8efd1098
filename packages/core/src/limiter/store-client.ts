import { edgedAt } from '../stores/edged-checks.js';
import type { Ask, Change, ChangeReply, Check, Reply, Store, Target } from '../stores/store.js';
import type { CalendarEdges } from '../values/calendar.js';
import { SluiceError } from '../values/error.js';
import { type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import { nextOperationId } from '../values/operation-id.js';
import { Fallback, type StoreOutcome } from './fallback.js';
import type { Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';

/** Asks a policy's store, again where the calendar has moved on, and has the fallback answer when the store cannot. */
export class StoreClient {
  readonly #store: Store;
  readonly #edges: CalendarEdges;
  readonly #fallback: Fallback;

  constructor(
    policy: Pick<Policy<never>, 'name' | 'onStoreError'>,
    store: Store,
    edges: CalendarEdges,
    claim: NameClaim,
  ) {
    this.#store = store;
    this.#edges = edges;
    this.#fallback = new Fallback(policy, store, claim, edges);
  }

  /** Asks about the limits that are counted; unlimited tiers are no question. */
  ask(ask: Ask): Eventual<StoreOutcome> {
    const checks = countedOf(ask.checks);
    if (checks.length === 0) return { ask, checks, verdicts: [], source: 'store', store: undefined, atMs: 0 };
    try {
      const counted = checks === ask.checks ? ask : { ...ask, checks };
      const store = this.#store;
      const reply = store.consumeOrRecall ? store.consumeOrRecall(counted) : store.consume(counted);
      if (isPromise(reply)) return this.#outcome(ask, counted, reply);
      if (!reply.outsideEdges) return this.#grant(ask, checks, reply);
      const again = askedAnew(ask);
      return whenReady(this.#within({ ...again, checks }, reply.atMs), (answer) => this.#grant(again, checks, answer));
    } catch (error) {
      return this.failed(ask, checks, error);
    }
  }

  /** What answers in place of a store that has failed; throws what is a mistake of the program. */
  failed(ask: Ask, checks: readonly Check[], error: unknown): StoreOutcome {
    return this.#fallback.answer(ask, checks, error);
  }

  /**
   * Makes a correction. One that fails is told of and let go: what was to be given back stays spent, what was to be
   * charged is charged locally.
   */
  adjust(store: Store, change: Change): Eventual<void> {
    return recover<void>(
      () => whenReady(this.#adjust(store, change), () => {}),
      (error) => this.#fallback.charge(change.checks, error),
    );
  }

  /**
   * Makes a change for which nobody was asked, and says how the limits stand then, as a look at `ask` would. Where the
   * store fails, the fallback says it, having charged what was to be charged.
   */
  change(ask: Ask, change: Change): Eventual<StoreOutcome> {
    return recover(
      () => whenReady(this.#adjust(this.#store, change), (reply) => this.#grant(ask, change.checks, reply)),
      (error) => this.#fallback.change(ask, change.checks, error),
    );
  }

  /** Forgets; answers whether there was anything to forget. */
  reset(targets: readonly Target[]): Eventual<boolean> {
    const forgotten = this.#fallback.reset(targets);
    return whenReady(this.#store.reset(targets), (states) => states + forgotten > 0);
  }

  /** What an amount is charged as by a store that answered in place of the policy's own, where it did. */
  chargeOf(store: Store, check: Check, amount: number): number {
    return store === this.#store ? amount : this.#fallback.chargeOf(check, amount);
  }

  async #outcome(ask: Ask, counted: Ask, answer: PromiseLike<Reply>): Promise<StoreOutcome> {
    try {
      const reply = await answer;
      if (!reply.outsideEdges) return this.#grant(ask, counted.checks, reply);
      const again = askedAnew(ask);
      return this.#grant(again, counted.checks, await this.#within({ ...again, checks: counted.checks }, reply.atMs));
    } catch (error) {
      return this.failed(ask, counted.checks, error);
    }
  }

  #grant(
    ask: Ask,
    checks: readonly Check[],
    { verdicts, atMs, timesMs }: Pick<Reply, 'verdicts' | 'atMs' | 'timesMs'>,
  ): StoreOutcome {
    const outcome: StoreOutcome = { ask, checks, verdicts, source: 'store', store: this.#store, atMs };
    return timesMs ? { ...outcome, timesMs } : outcome;
  }

  /** Asks once more, with the edges around the store's own time. */
  #within(ask: Ask, atMs: number): Eventual<Reply> {
    return whenReady(this.#store.consume({ ...ask, checks: edgedAt(this.#edges, ask.checks, atMs) }), (reply) => {
      if (!reply.outsideEdges) return reply;
      throw edgesRefused();
    });
  }

  /** Once more, with the edges around the store's own time, where they are others. */
  #adjust(store: Store, change: Change): Eventual<ChangeReply> {
    return whenReady(store.adjust(change), (reply) => {
      if (reply.result !== 'outside-edges') return reply;
      const again = { ...change, checks: edgedAt(this.#edges, change.checks, reply.atMs) };
      return whenReady(store.adjust(again), (second) => {
        if (second.result !== 'outside-edges') return second;
        throw edgesRefused();
      });
    });
  }
}

function edgesRefused(): SluiceError {
  return new SluiceError('SLUICE_STORE', 'the store refuses the calendar edges that were made for its own time');
}

/** Whether a store has anything to say about a check; an unlimited tier is none of its business. */
export function isCounted({ limit }: Check): boolean {
  return limit.algorithm !== 'unlimited';
}

/** A question that is asked again. Slots that it took in one place were given back by its id, which names them no more. */
function askedAnew(ask: Ask): Ask {
  return ask.id === undefined ? ask : { ...ask, id: nextOperationId() };
}

function countedOf(checks: readonly Check[]): readonly Check[] {
  return checks.every(isCounted) ? checks : checks.filter(isCounted);
}
