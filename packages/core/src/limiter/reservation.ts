import type { Answer } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { answering, type Eventual, isPromise, whenReady } from '../values/eventual.js';
import type { StoreOutcome } from './fallback.js';
import { type CorrectedTo, type Corrector, correct, inSecondTurn } from './life/correct.js';
import { type Expiry, expiryTimerOf } from './life/expiry-timer.js';
import { type HeldCharge, isSlot, partsOf, type Sharing, sharedFor } from './life/hold.js';
import { leaseRenewerOf } from './life/lease-renewer.js';
import { LEAST_CORRECTABLE_MS } from './life/operation.js';
import { type Settled, settledAmounts } from './settle.js';

/** What happens to a reservation that was not settled or cancelled in time. */
export type OnExpiry = 'keep' | 'giveBack';

/** When and how a reservation ends by itself. */
export interface Expiring {
  readonly afterMs: number;
  readonly onExpiry: OnExpiry;
}

/**
 * A decision that you can correct once. Later calls do nothing, and end when the correction has been made. If it was
 * refused, its methods do nothing. If it was made with `expires`, you can correct it even after it has ended by itself.
 */
export interface Reservation<Async extends boolean = true> extends Decision {
  /**
   * Ends the reservation: keeps the charge and frees its slots. Call it when the work has succeeded.
   *
   * A number is the real cost, on each limit without its own cost. A record has the real cost by limit name; the charge
   * of other limits stays. A cost above the charge may exceed the limit, and becomes debt. After an end with
   * `'giveBack'`, the whole amount is charged again; without an amount, it is what was charged before.
   *
   * @throws SluiceError `SLUICE_COST` if an amount is no safe integer of at least 0; `SLUICE_OPTION` for an unknown
   * name, or for a number if every limit has its own cost. Nothing is changed then.
   */
  settle(actual?: number | Readonly<Record<string, number>>): Answer<void, Async>;
  /**
   * Undoes the reservation: gives back all units and frees the slots. Call it if the work was not done. After an end
   * with `'giveBack'` there is nothing left to give back.
   */
  cancel(): Answer<void, Async>;
  /**
   * Frees the slots now, and leaves the charge for a later `settle` or `cancel`. Call it if the work has ended, but its
   * cost is not known yet. Without a slot it does nothing.
   */
  release(): Answer<void, Async>;
}

/** What a reservation needs from the engine that made it. */
export interface ReservationContext extends Corrector {
  /** Whether methods return promises, also for errors and if there is nothing to do. */
  readonly isAsync: boolean;
  /** The names of the policy's limits; true for a limit with its own cost. */
  readonly ownsCost: ReadonlyMap<string, boolean>;
  /** Returns the charge of an allowed request, whose slots are held from now on; undefined if no store was charged. */
  hold(outcome: StoreOutcome): HeldCharge | undefined;
}

/** A class of reservations. Adapters have their own class, with what only requests have. */
export type ReservationClass<R extends GrantedReservation> = new (
  ...params: ConstructorParameters<typeof GrantedReservation>
) => R;

/** Made by the engine. Without a charged outcome there is nothing to correct. */
export class GrantedReservation implements Reservation<boolean> {
  readonly policy: string;
  readonly allowed: boolean;
  readonly verdicts: readonly Verdict[];
  readonly tightest: Verdict;
  readonly retryAfterMs: number | 'never';
  readonly delayMs: number;
  readonly shadowed: boolean;
  readonly source: Decision['source'];
  /** Not declared as a field, so that only reservations that have it take the room. */
  declare exceeded?: true;

  readonly #context: ReservationContext;
  /** What was charged, until somebody asks for the charge. Most charges are never corrected. */
  #outcome: StoreOutcome | undefined;
  /** Undefined before `hold`, and after the correction. */
  #held: HeldCharge | undefined;
  /** Present until the reservation ends by itself. */
  #expiry: Expiry | undefined;
  /** The end by itself, or the correction that counts, while it is under way: later calls wait for it. */
  #underWay: PromiseLike<void> | undefined;

  /** @param outcome - of an allowed request */
  constructor(decision: Decision, context: ReservationContext, outcome?: StoreOutcome) {
    this.policy = decision.policy;
    this.allowed = decision.allowed;
    this.verdicts = decision.verdicts;
    this.tightest = decision.tightest;
    this.retryAfterMs = decision.retryAfterMs;
    this.delayMs = decision.delayMs;
    this.shadowed = decision.shadowed;
    this.source = decision.source;
    if (decision.exceeded) this.exceeded = true;
    this.#context = context;
    this.#outcome = outcome;
  }

  /** Makes the charge, and holds its slots from now on. */
  hold(): void {
    if (this.#outcome) this.#held = this.#context.hold(this.#outcome);
    this.#outcome = undefined;
  }

  /** Undefined after the correction. */
  get #charge(): HeldCharge | undefined {
    this.hold();
    return this.#held;
  }

  set #charge(charge: HeldCharge | undefined) {
    this.#held = charge;
  }

  /** The shortest lease of the held slots; undefined if there are none. */
  get leaseMs(): number | undefined {
    const charge = this.#charge;
    if (charge?.id === undefined) return undefined;
    return Math.min(...charge.checks.filter(isSlot).map(({ limit }) => limit.leaseMs as number));
  }

  /** Whether a slot is held until a method frees it. */
  get holdsSlot(): boolean {
    return this.#held?.id !== undefined;
  }

  /** The keys that were charged. */
  get keys(): readonly string[] {
    return this.#charge?.checks.map(({ key }) => key) ?? [];
  }

  /** The limits of its policy that have a cost of their own. */
  ownsCost(name: string): boolean {
    return this.#context.ownsCost.get(name) === true;
  }

  /**
   * Returns the charge, so that others can correct it; undefined if there is none, or if it has given its units back. From now
   * on it is corrected once, here or there, and its slots are not renewed here. If others knew it before, its end stays.
   */
  share(expiryMs: number): (HeldCharge & { readonly sharing: Sharing }) | undefined {
    const charge = this.#charge;
    if (!charge || charge.checks.length === 0 || charge.isGivenBack) return undefined;
    if (charge.id !== undefined) leaseRenewerOf(charge.store).handOver(charge.id);
    const shared = sharedFor(charge, expiryMs);
    this.#charge = shared;
    return shared;
  }

  settle(actual?: Settled): Answer<void> {
    return this.#answer(() => {
      // The amounts are checked before anything is changed.
      const amountOf = settledAmounts(actual, { policy: this.policy, ownsCost: this.#context.ownsCost });
      this.#stopExpiring();
      return this.#correctFinally(amountOf);
    });
  }

  cancel(): Answer<void> {
    return this.#answer(() => {
      this.#stopExpiring();
      return this.#correctFinally('cancelled');
    });
  }

  release(): Answer<void> {
    return this.#answer(() => {
      const [slots, units] = this.#parts();
      if (!slots) return undefined;
      if (!units) this.#stopExpiring();
      this.#charge = units;
      return this.#correct(slots, 'cancelled');
    });
  }

  /** Gives the units back, and keeps the slots. */
  cancelUnits(): Answer<void> {
    return this.#answer(() => {
      const [slots, units] = this.#parts();
      this.#charge = slots;
      return this.#correct(units, 'cancelled');
    });
  }

  /** Lets the reservation end by itself, if `expiring` is given, and if its call was charged and repeats no other one. */
  expire(expiring: Expiring | undefined): this {
    const charge = this.#charge;
    if (!expiring || !charge || charge.sharing?.isRepeated) return this;
    this.#expiry = expiryTimerOf(charge.store).add(expiring.afterMs, () => this.#end(expiring));
    return this;
  }

  #stopExpiring(): void {
    if (this.#charge && this.#expiry) expiryTimerOf(this.#charge.store).remove(this.#expiry);
  }

  /** Frees the slots, and gives the units back if `onExpiry` says so. A later `settle` is a second correction. */
  #end({ afterMs, onExpiry }: Expiring): Eventual<void> {
    const charge = this.#charge;
    const [slots, units] = this.#parts();
    this.#expiry = undefined;
    if (!charge || onExpiry === 'keep') {
      this.#charge = units;
      return this.#correct(slots, 'expired');
    }
    const left = units && inSecondTurn(units);
    this.#charge = left;
    const ended = charge.store.remote ? withRememberedEnd(charge, afterMs) : charge;
    const ending = whenReady(correct(ended, 'expired', this.#context), (result) => {
      this.#underWay = undefined;
      if (!ended.sharing || this.#charge !== left) return;
      // The store did not answer. It says with the next correction whether it has given the units back.
      if (result === undefined) [, this.#charge] = partsOf(ended);
      // Somebody else has corrected the charge before.
      else if (result === 'repeated') this.#charge = undefined;
    });
    if (isPromise(ending)) this.#underWay = ending;
    return ending;
  }

  #answer(attempt: () => Eventual<void>): Answer<void> {
    return answering(this.#context.isAsync, () => whenReady(this.#underWay, attempt))() as Answer<void>;
  }

  #parts(): readonly [slots: HeldCharge | undefined, units: HeldCharge | undefined] {
    return this.#charge ? partsOf(this.#charge) : [undefined, undefined];
  }

  /** Makes the correction that counts. */
  #correctFinally(to: CorrectedTo): Eventual<void> {
    const charge = this.#charge;
    this.#charge = undefined;
    const correction = this.#correct(charge, to);
    // Later calls do nothing, so they fail for no reason of it.
    if (isPromise(correction)) this.#underWay = correction.then(undefined, () => {});
    return correction;
  }

  #correct(charge: HeldCharge | undefined, to: CorrectedTo): Eventual<void> {
    return charge && whenReady(correct(charge, to, this.#context), () => {});
  }
}

/** Returns a charge whose end by itself its store remembers: the answer to that can be lost on its way. */
function withRememberedEnd(charge: HeldCharge, afterMs: number): HeldCharge {
  // What had to wait for its turn ends later.
  const ageMs = charge.store.clock.now() - charge.atMs;
  return sharedFor(charge, Math.max(afterMs, ageMs) + LEAST_CORRECTABLE_MS);
}
