import { ALGORITHMS } from '../algorithms/definitions.js';
import type { Answer, Check, Correction, Store } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { answering, type Eventual } from '../values/eventual.js';
import { usesSlots } from '../values/limit.js';
import { type Expiry, expiryTimerOf } from './expiry-timer.js';
import type { StoreOutcome } from './fallback.js';
import { type Settled, settledAmounts } from './settle.js';

/** What becomes of a reservation that was neither settled nor cancelled in time. */
export type OnExpiry = 'keep' | 'giveBack';

/** How a reservation ends by itself. */
export interface Expiring {
  readonly afterMs: number;
  readonly onExpiry: OnExpiry;
}

/**
 * A decision that can be corrected once. If it was refused, its verbs do nothing. One that was made with `expires` can be
 * corrected after that, too.
 */
export interface Reservation<Async extends boolean = true> extends Decision {
  /**
   * The normal end: keeps what was charged and frees a slot. With a number, that is what it really cost, on each limit
   * without a cost of its own; with a record, by limit name, and names left out stay as charged. More than was charged
   * may pass the limit: that is debt. After an end with `'giveBack'` the whole amount is charged anew; without an amount,
   * what was charged before.
   *
   * @throws SluiceError `SLUICE_COST` for an amount that is no safe integer of at least 0, `SLUICE_OPTION` for an
   * unknown name, or a number where every limit has a cost of its own; nothing is changed then.
   */
  settle(actual?: number | Readonly<Record<string, number>>): Answer<void, Async>;
  /** It never happened: gives everything back, slots included; after an end with `'giveBack'` there is nothing left to give. */
  cancel(): Answer<void, Async>;
  /**
   * Frees the slots now, and leaves the units as they are charged: `settle` or `cancel` may correct them later. Use it
   * when the work has ended, and its cost is not known yet. Without a slot it does nothing.
   */
  release(): Answer<void, Async>;
}

/** What was charged for a request, and where. */
export interface Charge {
  readonly store: Store;
  /** The checks that spent something or hold a slot, each with its own time where these differ. */
  readonly checks: readonly Correction[];
  /** The store's time of the charge, of each check that has none of its own. */
  readonly atMs: number;
  /** Names the slots that are held. */
  readonly id: string | undefined;
}

/** What a reservation needs of the engine that made it. */
export interface ReservationContext {
  /** Whether answers are promises, mistakes and having nothing to do included. */
  readonly isAsync: boolean;
  /** Names of the policy's limits; true for one whose cost is its own. */
  readonly ownsCost: ReadonlyMap<string, boolean>;
  /** What an amount is charged as: itself, but where a share of the limit stands in for it, at most the whole share. */
  chargeOf(store: Store, check: Check, amount: number): number;
  /** Corrects what was charged: signed costs. */
  correct(charge: Charge, changes: readonly Correction[]): Eventual<void>;
}

/** Built by the engine; without a charge there is nothing to correct. */
export class GrantedReservation implements Reservation<boolean> {
  readonly policy: string;
  readonly allowed: boolean;
  readonly verdicts: readonly Verdict[];
  readonly tightest: Verdict;
  readonly retryAfterMs: number | 'never';
  readonly delayMs: number;
  readonly shadowed: boolean;
  readonly source: Decision['source'];

  readonly #context: ReservationContext;
  /** Undefined once it was corrected. */
  #charge: Charge | undefined;
  /** When it ends by itself, if it does; `'given back'` once it has. */
  #expiry: Expiry | 'given back' | undefined;

  constructor(decision: Decision, context: ReservationContext, charge?: Charge) {
    this.policy = decision.policy;
    this.allowed = decision.allowed;
    this.verdicts = decision.verdicts;
    this.tightest = decision.tightest;
    this.retryAfterMs = decision.retryAfterMs;
    this.delayMs = decision.delayMs;
    this.shadowed = decision.shadowed;
    this.source = decision.source;
    this.#context = context;
    this.#charge = charge;
  }

  /** The shortest lease of the slots that are held; undefined where none is. */
  get leaseMs(): number | undefined {
    const charge = this.#charge;
    if (charge?.id === undefined) return undefined;
    return Math.min(...charge.checks.filter(isSlot).map(({ limit }) => limit.leaseMs as number));
  }

  /** Whether a slot is held until one of the verbs frees it. */
  get holdsSlot(): boolean {
    return this.#charge?.id !== undefined;
  }

  settle(actual?: Settled): Answer<void> {
    return this.#answer(() => {
      // Amounts are checked before anything is changed.
      const amountOf = settledAmounts(actual, { policy: this.policy, ownsCost: this.#context.ownsCost });
      this.#stopExpiring();
      return this.#correct((check, store) =>
        isSlot(check) ? 0 : this.#context.chargeOf(store, check, amountOf(check)),
      );
    });
  }

  cancel(): Answer<void> {
    return this.#answer(() => {
      this.#stopExpiring();
      return this.#correct(() => 0);
    });
  }

  release(): Answer<void> {
    return this.#answer(() => {
      const [slots, units] = this.#parts();
      if (!slots) return undefined;
      if (!units) this.#stopExpiring();
      this.#charge = slots;
      const freed = this.#correct(() => 0);
      this.#charge = units;
      return freed;
    });
  }

  /** Gives the units back, and leaves the slots held. */
  cancelUnits(): Answer<void> {
    return this.#answer(() => {
      const [slots, units] = this.#parts();
      this.#charge = units;
      const given = this.#correct(() => 0);
      this.#charge = slots;
      return given;
    });
  }

  /** Makes it end by itself, if `expiring` is given, unless it is corrected by then. */
  expire(expiring: Expiring | undefined): this {
    const charge = this.#charge;
    if (!expiring || !charge) return this;
    const { afterMs, onExpiry } = expiring;
    this.#expiry = expiryTimerOf(charge.store).add(afterMs, () => this.#end(onExpiry));
    return this;
  }

  #stopExpiring(): void {
    if (this.#charge && typeof this.#expiry === 'object') expiryTimerOf(this.#charge.store).remove(this.#expiry);
  }

  /** Frees the slots, and gives the units back if `onExpiry` says so. A later `settle` is another correction. */
  #end(onExpiry: OnExpiry): Eventual<void> {
    const [slots, units] = this.#parts();
    const isGivenBack = onExpiry === 'giveBack';
    const gone = isGivenBack ? this.#charge : slots;
    this.#expiry = isGivenBack ? 'given back' : undefined;
    this.#charge = units;
    const spent = gone?.checks.filter(({ cost }) => cost !== 0) ?? [];
    if (!gone || spent.length === 0) return undefined;
    return this.#context.correct(
      gone,
      spent.map((check) => ({ ...check, cost: -check.cost })),
    );
  }

  /** What of a check's cost is still charged: a queue takes no place back. */
  #heldOf({ cost, limit }: Check): number {
    return this.#expiry === 'given back' && ALGORITHMS[limit.algorithm]?.canRefund !== false ? 0 : cost;
  }

  #answer(attempt: () => Eventual<void>): Answer<void> {
    return answering(this.#context.isAsync, attempt)() as Answer<void>;
  }

  /** What is charged, apart: the slots, which the id names, and the units. */
  #parts(): readonly [slots: Charge | undefined, units: Charge | undefined] {
    const charge = this.#charge;
    if (charge?.id === undefined) return [undefined, charge];
    const units = charge.checks.filter((check) => !isSlot(check));
    return [
      { ...charge, checks: charge.checks.filter(isSlot) },
      units.length === 0 ? undefined : { ...charge, checks: units, id: undefined },
    ];
  }

  #correct(amountOf: (check: Check, store: Store) => number): Eventual<void> {
    const charge = this.#charge;
    if (!charge) return undefined;
    this.#charge = undefined;
    const changes = charge.checks
      .map((check) => ({ ...check, cost: amountOf(check, charge.store) - this.#heldOf(check) }))
      .filter(({ cost }) => cost !== 0);
    return changes.length === 0 ? undefined : this.#context.correct(charge, changes);
  }
}

/** Whether a check asks for a slot, which its holder's id names and frees, rather than for units. */
export function isSlot({ limit }: Check): boolean {
  return usesSlots(limit);
}

/** What an allowed request spent: all of its checks, but those of shadows that refused or were not answered. */
export function chargeOf({ ask, checks, verdicts, atMs, timesMs }: StoreOutcome, store: Store): Charge {
  const all = timesMs ? checks.map((check, i) => timedAt(check, timesMs[i])) : checks;
  const isWhole = !timesMs && verdicts.every(isAllowed);
  const charged = isWhole ? all : all.filter((_, i) => verdicts[i]?.allowed && (!timesMs || timesMs[i] !== undefined));
  return { store, checks: charged, atMs, id: charged.some(isSlot) ? ask.id : undefined };
}

function timedAt(check: Check, atMs: number | undefined): Correction {
  return atMs === undefined ? check : { ...check, atMs };
}

function isAllowed({ allowed }: Verdict): boolean {
  return allowed;
}
