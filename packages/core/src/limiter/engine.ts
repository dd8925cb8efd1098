import { CalendarEdges } from '../calendar.js';
import { stopwatchMs } from '../clock.js';
import type { Decision, Verdict } from '../decision.js';
import { SluiceError } from '../error.js';
import { isHeard, publish } from '../events.js';
import { encodeKey, hash, type Key } from '../key.js';
import { unlimited } from '../limit.js';
import type { Answer, Ask, Change, Check, Store } from '../store.js';
import { answered, type Eventual, recover, whenReady } from './answer.js';
import { nextChargeId } from './charge-id.js';
import { decide, passing } from './decide.js';
import { Fallback, type Granted } from './fallback.js';
import type { Policy } from './policy.js';
import { GrantedReservation, type Grantor, isSlot } from './reservation.js';
import { type KeySource, Resolution } from './resolve.js';
import { slotKeeperOf } from './slots.js';

type Args = readonly unknown[];

/** A decision, and what was asked for it. */
interface Decided<D extends Decision> {
  readonly checks: readonly Check[];
  readonly decision: D;
}

/**
 * Asks a store for a policy, for any kind of request: limiters call it with a subject, adapters with their framework's
 * arguments.
 */
export class Engine<A extends Args> {
  readonly policy: Policy<A>;
  readonly store: Store;
  readonly #resolution: Resolution<A>;
  readonly #edges: CalendarEdges;
  readonly #fallback: Fallback;
  readonly #ownsCost: ReadonlyMap<string, boolean>;

  constructor(policy: Policy<A>, store: Store, keys: KeySource<A>) {
    this.policy = policy;
    this.store = store;
    this.#edges = new CalendarEdges(store.clock);
    this.#resolution = new Resolution(policy, keys, this.#edges);
    this.#fallback = new Fallback(policy.name, policy.onStoreError, store);
    this.#ownsCost = new Map(policy.items.map(({ name, ownsCost }) => [name, ownsCost]));
  }

  consume(args: A, cost?: number): Eventual<Decision> {
    const decided = this.#observed(() =>
      this.#decided(args, cost, (checks) => {
        refuseSlots(checks);
        return { checks };
      }),
    );
    return whenReady(decided, (decision) => decision ?? this.skipped());
  }

  /** Nobody is told of it: it is no request, and nothing of it is written. */
  peek(args: A, cost?: number): Eventual<Decision> {
    const decided = this.#decided(args, cost, (checks) => ({ checks, look: true }));
    return whenReady(decided, (look) => look?.decision ?? this.skipped());
  }

  /** Undefined when the request is skipped. */
  reserve(args: A, cost?: number): Eventual<GrantedReservation | undefined> {
    return this.#observed(() =>
      whenReady(this.#resolution.checks(args, cost), (checks) => {
        if (!checks) return undefined;
        const id = checks.some(isSlot) ? nextChargeId() : undefined;
        return whenReady(this.#ask({ checks, ...(id !== undefined && { id }) }), (granted) => ({
          checks,
          decision: this.#reservation(this.#decide(checks, granted), granted, id),
        }));
      }),
    );
  }

  /** The decision of a request that no limit looked at. */
  skipped(): Decision {
    const { name, items } = this.policy;
    return decide(
      name,
      items.map((item) => passing(item.name, unlimited())),
      'store',
    );
  }

  /** A reservation with nothing in it to correct. */
  empty(decision: Decision): GrantedReservation {
    return new GrantedReservation(
      decision,
      [],
      this.#grantor(this.store, () => undefined),
    );
  }

  /** Charges (sign 1) or gives back (sign -1) what a request costs, outside any decision. Slots are not touched. */
  adjust(args: A, cost: number | undefined, sign: 1 | -1): Eventual<void> {
    return whenReady(this.#resolution.checks(args, cost), (checks) => {
      const changes = checks?.filter((check) => isCounted(check) && !isSlot(check) && check.cost > 0);
      return changes?.length
        ? this.#adjust(this.store, { checks: changes.map((check) => ({ ...check, cost: sign * check.cost })) })
        : undefined;
    });
  }

  reset(key: Key): Answer<void> {
    const { name: policy, items } = this.policy;
    const encoded = encodeKey(key);
    const targets = items.map(({ name }) => ({ policy, name, key: encoded }));
    this.#fallback.local?.reset(targets);
    return this.store.reset(targets);
  }

  /** Gives the answer in the store's own way: over an asynchronous one also mistakes are promises. */
  answer<T>(attempt: () => Eventual<T>): Eventual<T> {
    return answered(this.store.async, attempt);
  }

  #decided(
    args: A,
    cost: number | undefined,
    askOf: (checks: readonly Check[]) => Ask,
  ): Eventual<Decided<Decision> | undefined> {
    return whenReady(
      this.#resolution.checks(args, cost),
      (checks) =>
        checks &&
        whenReady(this.#ask(askOf(checks)), (granted) => ({ checks, decision: this.#decide(checks, granted) })),
    );
  }

  /** Tells of the decision, if anybody listens. */
  #observed<D extends Decision>(attempt: () => Eventual<Decided<D> | undefined>): Eventual<D | undefined> {
    if (!isHeard('sluice:decision')) return whenReady(attempt(), decisionOf);
    const startMs = stopwatchMs();
    return whenReady(attempt(), (decided) => {
      if (decided) {
        const keys = decided.checks.map(({ key }) => hash(key));
        publish('sluice:decision', { decision: decided.decision, keys, durationMs: stopwatchMs() - startMs });
      }
      return decided?.decision;
    });
  }

  /** Asks about the limits that are counted; unlimited tiers are no question. */
  #ask(ask: Ask): Eventual<Granted> {
    const checks = ask.checks.every(isCounted) ? ask.checks : ask.checks.filter(isCounted);
    if (checks.length === 0) return { verdicts: [], source: 'store', checks, atMs: 0 };
    const counted = checks === ask.checks ? ask : { ...ask, checks };
    return recover(
      () => this.#askStore(counted, true),
      (error) => this.#fallback.answer(counted, error),
    );
  }

  #askStore(ask: Ask, again: boolean): Eventual<Granted> {
    return whenReady(this.store.consume(ask), ({ atMs, verdicts, outsideEdges }) => {
      if (!outsideEdges) return { verdicts, source: 'store', store: this.store, checks: ask.checks, atMs };
      if (!again)
        throw new SluiceError('SLUICE_STORE', 'the store refuses the calendar edges that were made for its own time');
      return this.#askStore({ ...ask, checks: this.#edgesAt(ask.checks, atMs) }, false);
    });
  }

  #edgesAt(checks: readonly Check[], atMs: number): readonly Check[] {
    return checks.map((check) =>
      check.limit.calendar ? { ...check, edgesMs: this.#edges.at(check.limit.calendar, atMs) } : check,
    );
  }

  #decide(checks: readonly Check[], { verdicts, source }: Granted): Decision {
    if (verdicts.length === checks.length) return decide(this.policy.name, verdicts, source);
    const answered = verdicts.values();
    const all = checks.map((check) =>
      isCounted(check) ? (answered.next().value as Verdict) : passing(check.name, check.limit, check.cost),
    );
    return decide(this.policy.name, all, source);
  }

  #reservation(
    decision: Decision,
    { store, checks, atMs, verdicts }: Granted,
    id: string | undefined,
  ): GrantedReservation {
    if (!decision.allowed || !store) return this.empty(decision);
    const charged = checks.filter((_, i) => verdicts[i]?.allowed);
    const slots = charged.filter(isSlot);
    if (id !== undefined && slots.length > 0) slotKeeperOf(store).hold(id, slots);
    const correct = (changes: readonly Check[]): Eventual<void> => {
      if (id !== undefined) slotKeeperOf(store).release(id);
      const changeId = id ?? (store.remote ? nextChargeId() : undefined);
      return this.#adjust(store, { checks: changes, atMs, ...(changeId !== undefined && { id: changeId }) });
    };
    return new GrantedReservation(decision, charged, this.#grantor(store, correct));
  }

  /** What a reservation that this store granted needs. */
  #grantor(store: Store, correct: Grantor['correct']): Grantor {
    return {
      ownsCost: this.#ownsCost,
      answer: (attempt) => this.answer(attempt),
      chargeOf: (check, amount) => (store === this.store ? amount : this.#fallback.chargeOf(check, amount)),
      correct,
    };
  }

  /**
   * A correction that fails is told of and let go: what was to be given back stays spent, what was to be charged is
   * charged locally.
   */
  #adjust(store: Store, change: Change): Answer<void> {
    const done = recover(
      () => this.#adjustStore(store, change, true),
      (error) => this.#fallback.charge(change.checks, error),
    );
    return done as Answer<void>;
  }

  #adjustStore(store: Store, change: Change, again: boolean): Eventual<void> {
    return whenReady(store.adjust(change), (result) => {
      if (result !== 'outside-edges' || !again) return undefined;
      return this.#adjustStore(store, { ...change, checks: this.#edgesAt(change.checks, store.clock.now()) }, false);
    });
  }
}

function decisionOf<D extends Decision>(decided: Decided<D> | undefined): D | undefined {
  return decided?.decision;
}

function isCounted({ limit }: Check): boolean {
  return limit.algorithm !== 'unlimited';
}

function refuseSlots(checks: readonly Check[]): void {
  const slot = checks.find(isSlot);
  if (!slot) return;
  const message = `the concurrency limit ${JSON.stringify(slot.name)} holds a slot that has to be released: use reserve() or wait()`;
  throw new SluiceError('SLUICE_VERB', message);
}
