import { takesBack } from '../algorithms/returns.js';
import type { Answer, ChangeResult, LimitCheck, Store, StoreVerdict } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { answering, type Eventual, isPromise, whenReady } from '../values/eventual.js';
import { usesSlots } from '../values/limit.js';
import { nextOperationId } from '../values/operation-id.js';
import { type Expiry, expiryTimerOf } from './expiry-timer.js';
import type { StoreOutcome } from './fallback.js';
import { type HeldCheck, heldChecks } from './guarantee.js';
import { correctableFor, correctableMsOf, LEAST_CORRECTABLE_MS } from './operation.js';
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

/** The charge of a request, and the store that holds it. */
export interface HeldCharge {
  readonly store: Store;
  /** What spent units or holds a slot, each by itself, with its own time if the times differ. */
  readonly checks: readonly HeldCheck[];
  /** The store's time of the charge, for each check without its own time. */
  readonly atMs: number;
  /** The id of the held slots. */
  readonly id: string | undefined;
  /**
   * Present if others may know this charge: another call of the same operation, or whoever has it as data. The store then
   * makes one correction of its units, whoever asks first.
   */
  readonly sharing?: Sharing;
}

/** How a charge is corrected that others know, too. */
export interface Sharing {
  /** The id of the correction. */
  readonly id: string;
  /** The store's time after which nobody can correct the charge any more. Until then the store remembers its correction. */
  readonly untilMs: number;
  /** Whether an earlier call of the operation was charged. That call decides when the charge ends by itself. */
  readonly isRepeated?: true;
  /** Whether its slots are renewed no more, because others may free them. */
  readonly isHandedOver?: true;
}

/** Marks a correction by which a charge ends by itself, and which gives its units back. */
export interface EndByItself {
  readonly givesBack: true;
}

/** What a reservation needs from the engine that made it. */
export interface ReservationContext {
  /** Whether methods return promises, also for errors and if there is nothing to do. */
  readonly isAsync: boolean;
  /** The names of the policy's limits; true for a limit with its own cost. */
  readonly ownsCost: ReadonlyMap<string, boolean>;
  /** Returns the units that an amount is charged as: the amount, or at most a share if the share replaces the limit. */
  chargeOf(store: Store, check: LimitCheck, amount: number): number;
  /** Corrects a charge by signed costs. Returns what the store did; undefined if it failed. */
  correct(charge: HeldCharge, changes: readonly HeldCheck[], end?: EndByItself): Eventual<ChangeResult | undefined>;
  /** Renews the slots of a charge no more, because others may free them. */
  handOver(charge: HeldCharge): void;
}

/** A class of reservations. Adapters have their own class, with what only requests have. */
export type ReservationClass<R extends GrantedReservation> = new (
  ...params: ConstructorParameters<typeof GrantedReservation>
) => R;

/** Made by the engine. Without a charge there is nothing to correct. */
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
  /** Undefined after the correction. */
  #charge: HeldCharge | undefined;
  /** The timer if the reservation ends by itself; `'given back'` after it gave its units back. */
  #expiry: Expiry | 'given back' | undefined;
  /** The end by itself, or the correction that counts, while it is under way: later calls wait for it. */
  #underWay: PromiseLike<void> | undefined;

  constructor(decision: Decision, context: ReservationContext, charge?: HeldCharge) {
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
    this.#charge = charge;
  }

  /** The shortest lease of the held slots; undefined if there are none. */
  get leaseMs(): number | undefined {
    const charge = this.#charge;
    if (charge?.id === undefined) return undefined;
    return Math.min(...charge.checks.filter(isSlot).map(({ limit }) => limit.leaseMs as number));
  }

  /** Whether a slot is held until a method frees it. */
  get holdsSlot(): boolean {
    return this.#charge?.id !== undefined;
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
    if (!charge || charge.checks.length === 0 || this.#expiry === 'given back') return undefined;
    if (charge.id !== undefined && !charge.sharing?.isHandedOver) this.#context.handOver(charge);
    const sharing: Sharing = {
      id: unitsIdOf(correctableFor(charge.id ?? nextOperationId(), expiryMs)),
      untilMs: charge.atMs + expiryMs,
      ...charge.sharing,
      ...(charge.id !== undefined && { isHandedOver: true }),
    };
    const shared = { ...charge, sharing };
    this.#charge = shared;
    return shared;
  }

  settle(actual?: Settled): Answer<void> {
    return this.#answer(() => {
      // The amounts are checked before anything is changed.
      const amountOf = settledAmounts(actual, { policy: this.policy, ownsCost: this.#context.ownsCost });
      this.#stopExpiring();
      return this.#correctFinally((check, store) =>
        isSlot(check) ? 0 : this.#context.chargeOf(store, check, amountOf(check)),
      );
    });
  }

  cancel(): Answer<void> {
    return this.#answer(() => {
      this.#stopExpiring();
      return this.#correctFinally(() => 0);
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

  /** Gives the units back, and keeps the slots. */
  cancelUnits(): Answer<void> {
    return this.#answer(() => {
      const [slots, units] = this.#parts();
      this.#charge = units;
      const given = this.#correct(() => 0);
      this.#charge = slots;
      return given;
    });
  }

  /** Lets the reservation end by itself, if `expiring` is given, and if its call was charged and repeats no other one. */
  expire(expiring: Expiring | undefined): this {
    const charge = this.#charge;
    if (!expiring || !charge || charge.sharing?.isRepeated) return this;
    const { afterMs, onExpiry } = expiring;
    this.#expiry = expiryTimerOf(charge.store).add(afterMs, () => this.#end(onExpiry));
    return this;
  }

  #stopExpiring(): void {
    if (this.#charge && typeof this.#expiry === 'object') expiryTimerOf(this.#charge.store).remove(this.#expiry);
  }

  /** Frees the slots, and gives the units back if `onExpiry` says so. A later `settle` is a second correction. */
  #end(onExpiry: OnExpiry): Eventual<void> {
    const [slots, units] = this.#parts();
    const isGivenBack = onExpiry === 'giveBack';
    const gone = isGivenBack ? this.#charge : slots;
    this.#expiry = isGivenBack ? 'given back' : undefined;
    const left = units && isGivenBack ? inSecondTurn(units) : units;
    this.#charge = left;
    const spent = gone?.checks.filter(({ cost }) => cost !== 0) ?? [];
    if (!gone || spent.length === 0) return undefined;
    const changes = spent.map((check) => ({ ...check, cost: -check.cost }));
    if (!isGivenBack) return whenReady(this.#context.correct(gone, changes), () => {});
    const ending = whenReady(this.#context.correct(gone, changes, { givesBack: true }), (result) => {
      this.#underWay = undefined;
      // Somebody else has corrected the charge before.
      if (gone.sharing && result === 'repeated' && this.#charge === left) this.#charge = undefined;
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
  #correctFinally(amountOf: AmountOf): Eventual<void> {
    const correction = this.#correct(amountOf);
    // Later calls do nothing, so they fail for no reason of it.
    if (isPromise(correction)) this.#underWay = correction.then(undefined, () => {});
    return correction;
  }

  #correct(amountOf: AmountOf): Eventual<void> {
    const charge = this.#charge;
    if (!charge) return undefined;
    this.#charge = undefined;
    return whenReady(this.#adjust(charge, amountOf, this.#expiry === 'given back'), (result) => {
      if (result !== 'given-back') return undefined;
      // Another process has ended the operation. What its work has cost is charged anew, once.
      const [, units] = partsOf(charge);
      return units && whenReady(this.#adjust(inSecondTurn(units), amountOf, true), () => {});
    });
  }

  #adjust(charge: HeldCharge, amountOf: AmountOf, isGivenBack: boolean): Eventual<ChangeResult | undefined> {
    const amounts = charge.checks.map((check) => ({
      ...check,
      cost: amountOf(check, charge.store) - (isGivenBack ? heldAfterEnd(check) : check.cost),
    }));
    const changes = charge.sharing ? amounts.map(withoutLateCharge) : amounts.filter(changesAnything);
    return changes.length === 0 ? undefined : this.#context.correct(charge, changes);
  }
}

/** Returns the real cost of a check. */
type AmountOf = (check: HeldCheck, store: Store) => number;

/** Splits a charge into the slots, which the id names, and the units. */
function partsOf(charge: HeldCharge): readonly [slots: HeldCharge | undefined, units: HeldCharge | undefined] {
  if (charge.id === undefined) return [undefined, charge];
  const units = charge.checks.filter((check) => !isSlot(check));
  return [
    { ...charge, checks: charge.checks.filter(isSlot) },
    units.length === 0 ? undefined : { ...charge, checks: units, id: undefined },
  ];
}

/** Returns the units of a check that are still charged after an end that gave units back: a leaky bucket gives nothing back. */
export function heldAfterEnd({ cost, limit }: LimitCheck): number {
  return takesBack(limit) ? 0 : cost;
}

/** Whether a check asks for a slot, which an id names, instead of units. */
export function isSlot({ limit }: LimitCheck): boolean {
  return usesSlots(limit);
}

/** Whether a correction changes anything. A late cost takes nothing of what is guaranteed to others. */
function changesAnything({ cost, countsAll }: HeldCheck): boolean {
  return cost < 0 || (cost > 0 && !countsAll);
}

/** Returns a correction that may change nothing. The store has to remember it all the same. */
export function withoutLateCharge<C extends HeldCheck>(change: C): C {
  return change.cost === 0 || changesAnything(change) ? change : { ...change, cost: 0 };
}

/** Returns a charge whose units were given back. A later `settle` is another correction. */
function inSecondTurn(charge: HeldCharge): HeldCharge {
  const { sharing } = charge;
  return sharing ? { ...charge, sharing: { ...sharing, id: secondTurnOf(sharing.id) } } : charge;
}

/** Returns the id of the correction that follows an end which gave units back. */
export function secondTurnOf(id: string): string {
  return `${id}:again`;
}

/** Returns the id of the correction of an attempt's units. The attempt itself names its slots. */
function unitsIdOf(attempt: string): string {
  return `${attempt}:units`;
}

/** Returns the charge of an allowed request: all checks, except shadow checks that refused or got no response. */
export function heldChargeOf(outcome: StoreOutcome, store: Store): HeldCharge {
  const { request, checks, verdicts, atMs, timesMs } = outcome;
  // The name of what was decided: repeated calls get it from the first one.
  const decided = outcome.attempt ?? request.id;
  const isWhole = !timesMs && verdicts.every(isChargedAsOne);
  const charged = isWhole ? checks : checks.flatMap((check, i) => chargedOf(check, i, outcome));
  const charge: HeldCharge = { store, checks: charged, atMs, id: charged.some(isSlot) ? decided : undefined };
  return request.holdMs === undefined || decided === undefined
    ? charge
    : { ...charge, sharing: sharingOf(outcome, decided) };
}

function sharingOf({ request: { attempt }, atMs }: StoreOutcome, decided: string): Sharing {
  const sharing = { id: unitsIdOf(decided), untilMs: atMs + (correctableMsOf(decided) ?? LEAST_CORRECTABLE_MS) };
  return attempt === undefined || attempt === decided ? sharing : { ...sharing, isRepeated: true };
}

function isChargedAsOne({ allowed, parts }: StoreVerdict): boolean {
  return allowed && parts === undefined;
}

/** Returns what one check of a request was charged on. */
function chargedOf(check: LimitCheck, i: number, { verdicts, timesMs }: StoreOutcome): readonly HeldCheck[] {
  const verdict = verdicts[i];
  if (!verdict?.allowed) return [];
  const held = heldChecks(check, verdict);
  if (!timesMs) return held;
  const atMs = timesMs[i];
  return atMs === undefined ? [] : held.map((one) => ({ ...one, atMs }));
}
