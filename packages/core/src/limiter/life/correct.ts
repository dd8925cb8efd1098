// Why it is so: docs/why/operations.md

import { takesBack } from '../../algorithms/returns.js';
import type { Change, ChangeResponse, ChangeResult, LimitCheck, Store } from '../../stores/store.js';
import { type Eventual, whenReady } from '../../values/eventual.js';
import { nextOperationId } from '../../values/operation-id.js';
import type { HeldCheck } from '../guarantee.js';
import { type HeldCharge, isSlot, partsOf } from './hold.js';
import { leaseRenewerOf } from './lease-renewer.js';
import { correctableMsOf } from './operation.js';

/**
 * What a charge is corrected to: the real cost of each check; or nothing, because it is cancelled, or because it ends by itself. Its
 * slots are freed in each case.
 */
export type CorrectedTo = ((check: HeldCheck) => number) | 'cancelled' | 'expired';

/** What a correction needs from the policy that makes it. */
export interface Corrector {
  /** Returns the units that an amount is charged as: the amount, or at most a share if the share replaces the limit. */
  chargeOf(store: Store, check: LimitCheck, amount: number): number;
  /** Asks a store for a change of a charge. Returns undefined if the store failed, and nobody has to know. */
  adjust(store: Store, change: Change): Eventual<ChangeResponse | undefined>;
}

/**
 * Corrects a charge. A charge that only its reservation knows is changed in one step. If others know it, too, its slots are freed
 * first, and then its units are corrected once, whoever asks first. If somebody has ended the charge before, and has given its units
 * back, what its work has cost is charged anew, once.
 *
 * Returns what the store did; undefined if there is nothing to do, or if it failed.
 */
export function correct(charge: HeldCharge, to: CorrectedTo, by: Corrector): Eventual<ChangeResult | undefined> {
  // There is nothing left to give back.
  if (charge.isGivenBack && to === 'cancelled') return undefined;
  const changes = changesOf(charge, to, by);
  if (changes.length === 0) return undefined;
  const result = whenReady(renewedNoMore(charge), () =>
    charge.sharing ? changeOnce(charge, changes, to, by) : changeAtOnce(charge, changes, by),
  );
  return whenReady(result, (made) => {
    if (!made || to === 'expired') return made?.result;
    const givenBack = to === 'cancelled' ? undefined : givenBackOf(charge, made);
    if (givenBack) return correct(inSecondTurn(givenBack), to, by);
    return made.result === 'given-back' ? 'repeated' : made.result;
  });
}

/** What became of the units of a charge; of its slots, if it has no units. */
type Made = Pick<ChangeResponse, 'result' | 'results'>;

/** Returns the units of a charge that an end of it has given back before; undefined if there are none. */
function givenBackOf(charge: HeldCharge, { result, results }: Made): HeldCharge | undefined {
  const [, units] = partsOf(charge);
  const checks = units?.checks.filter((_, i) => (results?.[i] ?? result) === 'given-back') ?? [];
  return units && checks.length > 0 ? { ...units, checks } : undefined;
}

/** Returns a charge after an end that gave its units back. A later settlement is another correction. */
export function inSecondTurn(charge: HeldCharge): HeldCharge {
  const { sharing } = charge;
  return { ...charge, isGivenBack: true, ...(sharing && { sharing: { ...sharing, id: `${sharing.id}:again` } }) };
}

/** Returns the change with an id, if a network could deliver it to the store twice. */
export function withOperationId(change: Change, store: Store): Change {
  const needsNone = change.id !== undefined || !store.remote;
  return needsNone ? change : { ...change, id: nextOperationId() };
}

/** Returns the units to charge or give back. If others know the charge, also where they are 0: the store remembers a correction. */
function changesOf(charge: HeldCharge, to: CorrectedTo, by: Corrector): readonly HeldCheck[] {
  const { store, checks, sharing, isGivenBack } = charge;
  const changes = checks.map((check) => {
    const { limit, cost } = check;
    const amount = typeof to !== 'function' || isSlot(check) ? 0 : by.chargeOf(store, check, to(check));
    return { ...check, cost: changeable(check, amount - (isGivenBack && takesBack(limit) ? 0 : cost)) };
  });
  return sharing ? changes : changes.filter(({ cost }) => cost !== 0);
}

/** Returns the part of a change that is made. A late cost takes nothing of what is guaranteed to others. */
function changeable({ limit, countsAll }: HeldCheck, units: number): number {
  if (units > 0) return countsAll ? 0 : units;
  return takesBack(limit) ? units : 0;
}

/** Renews the slots no more. A renewal that the store gets after they are freed would take them again. */
function renewedNoMore({ store, id }: HeldCharge): Eventual<void> {
  return id === undefined ? undefined : leaseRenewerOf(store).release(id);
}

function changeAtOnce(
  { store, atMs, id }: HeldCharge,
  checks: readonly HeldCheck[],
  by: Corrector,
): Eventual<Made | undefined> {
  const change = { checks, atMs, ...(id !== undefined && { id }) };
  return by.adjust(store, withOperationId(change, store));
}

/** Corrects the slots and the units each under the id that others use for them, too. */
function changeOnce(
  charge: HeldCharge,
  changes: readonly HeldCheck[],
  to: CorrectedTo,
  by: Corrector,
): Eventual<Made | undefined> {
  const { store, atMs, id } = charge;
  const slots = changes.filter(isSlot);
  const units = changes.filter((change) => !isSlot(change));
  const freed = slots.length > 0 && id !== undefined ? by.adjust(store, { checks: slots, atMs, id }) : undefined;
  return whenReady(freed, (response) => (units.length === 0 ? response : changeUnitsOnce(charge, units, to, by)));
}

function changeUnitsOnce(
  { store, atMs, sharing }: HeldCharge,
  checks: readonly HeldCheck[],
  to: CorrectedTo,
  by: Corrector,
): Eventual<Made | undefined> {
  const { id, untilMs } = sharing as NonNullable<typeof sharing>;
  // Others may be able to correct it for longer.
  const keptUntilMs = Math.max(untilMs, atMs + (correctableMsOf(id) ?? 0));
  const end = to === 'expired' && ({ givesBack: true } as const);
  const change: Change = { checks, atMs, id, keptUntilMs, notAfterMs: untilMs, ...end };
  return whenReady(by.adjust(store, change), (response) => response && madeOf(response, checks, untilMs));
}

/** A correction that changes no number is made, too: the store remembers it. */
function madeOf(response: ChangeResponse, checks: readonly HeldCheck[], untilMs: number): Made {
  const { result, atMs } = response;
  const isMade = result === 'expired' && atMs <= untilMs && checks.every(({ cost }) => cost === 0);
  return isMade ? { result: 'applied' } : response;
}
