// Why it is so: docs/why/operations.md

import { takesBack } from '../algorithms/returns.js';
import type { Change, ChangeResponse, ChangeResult, Correction, Store } from '../stores/store.js';
import { optionError, SluiceError, show } from '../values/error.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import { checkOptions } from '../values/option-checks.js';
import { type Charge, checkCharge, heldCheck, localPlaceOf } from './charge.js';
import type { HeldCheck } from './guarantee.js';
import { leaseRenewerOf } from './lease-renewer.js';
import type { LimitChange } from './limit-change.js';
import { correctableMsOf } from './operation.js';
import { heldAfterEnd, isSlot, secondTurnOf, withoutLateCharge } from './reservation.js';
import { type Settled, settledAmounts } from './settle.js';
import type { StoreClient } from './store-client.js';

/**
 * How a charge is corrected: like `settle` or `cancel` of a reservation. `{}` keeps the charge as it is, and frees its slots.
 */
export interface ChargeCorrection {
  /** The real cost: a number for each limit without its own cost, or amounts by limit name. */
  actual?: Settled;
  /** Gives all units back. */
  cancel?: true;
}

/** The parts of the engine in force that a correction uses. */
interface Correcting {
  readonly policy: string;
  /** The names of the policy's limits; true for a limit with its own cost. */
  readonly ownsCost: ReadonlyMap<string, boolean>;
  readonly store: Store;
  /** The store in which this process counts if the other one fails; undefined if it never did. */
  readonly local: Store | undefined;
  readonly storeClient: StoreClient;
  /** Returns a check with the numbers that its limit has now. */
  readonly now: LimitChange;
}

/** A charge, the store that was charged, and who corrects it. */
interface StoredCharge {
  readonly charge: Charge;
  readonly store: Store;
  readonly context: Correcting;
}

/**
 * Corrects a charge that may have been made by another process. The store makes the correction once.
 *
 * @throws SluiceError as `correct` of a limiter
 */
export function correctCharge(
  given: Charge,
  correction: ChargeCorrection,
  context: Correcting,
): Eventual<ChangeResult> {
  const charge = checkCharge(given);
  checkPolicy(charge, context);
  const stored = { charge, store: storeOf(charge, context), context };
  const changes = changesOf(stored, correction, ({ cost }) => cost);
  const units = changes.filter((change) => !isSlot(change));
  return whenReady(freeSlots(stored, changes.filter(isSlot)), (freed) =>
    units.length === 0 ? (freed?.result ?? 'expired') : correctUnits(stored, correction, units),
  );
}

function checkPolicy({ policy }: Charge, { policy: own }: Correcting): void {
  if (policy !== own)
    throw optionError('charge.policy', `must be ${JSON.stringify(own)}, the policy that corrects it`, policy);
}

function freeSlots(stored: StoredCharge, slots: readonly Correction[]): Eventual<ChangeResponse | undefined> {
  const { slot } = stored.charge;
  if (slots.length === 0 || slot === undefined) return undefined;
  return whenReady(leaseRenewerOf(stored.store).release(slot), () => adjust(stored, { checks: slots, id: slot }));
}

function correctUnits(
  stored: StoredCharge,
  correction: ChargeCorrection,
  units: readonly Correction[],
): Eventual<ChangeResult> {
  const { id } = stored.charge;
  return whenReady(adjustOnce(stored, units, id), (result) => {
    if (result !== 'given-back') return result;
    // The charge has ended by itself. What its work has cost is charged anew, once.
    if (correction.cancel) return 'repeated';
    const anew = changesOf(stored, correction, heldAfterEnd).filter((change) => !isSlot(change));
    return adjustOnce(stored, anew, secondTurnOf(id));
  });
}

function adjustOnce(stored: StoredCharge, checks: readonly Correction[], id: string): Eventual<ChangeResult> {
  const { charge } = stored;
  // Others may be able to correct it for longer.
  const keptUntilMs = Math.max(charge.untilMs, charge.atMs + (correctableMsOf(charge.id) ?? 0));
  const response = adjust(stored, { checks, id, keptUntilMs });
  return whenReady(response, (made) => resultOf(made, checks, charge.untilMs));
}

function adjust({ charge, store, context }: StoredCharge, change: Change): Eventual<ChangeResponse> {
  const { atMs, untilMs } = charge;
  return context.storeClient.correct(store, { atMs, notAfterMs: untilMs, ...change });
}

/** A correction that changes no number is made, too: the store remembers it. */
function resultOf({ result, atMs }: ChangeResponse, units: readonly Correction[], untilMs: number): ChangeResult {
  const isMade = result === 'expired' && atMs <= untilMs && units.every(({ cost }) => cost === 0);
  return isMade ? 'applied' : result;
}

/** Returns the store that was charged. */
function storeOf({ local }: Charge, { store, local: fallback }: Correcting): Store {
  if (local === localPlaceOf(store)) return store;
  if (local !== undefined && fallback && local === localPlaceOf(fallback)) return fallback;
  throw new SluiceError(
    'SLUICE_UNSUPPORTED',
    local === undefined
      ? 'the charge is in a store that several processes share, and this policy has another store: give it the store that was charged'
      : 'the charge is in the memory of another process or store, because its store shares no counters or had failed: only that process can correct it',
  );
}

function changesOf(
  { charge, store, context }: StoredCharge,
  correction: ChargeCorrection,
  heldOf: (check: HeldCheck) => number,
): readonly HeldCheck[] {
  const { policy, checks } = charge;
  const { ownsCost, storeClient, now, store: own } = context;
  const costs = new Map([
    ...ownsCost,
    ...checks.map(({ name, itemName = name, ownsCost = false }) => [itemName, ownsCost] as const),
  ]);
  const amountOf = amountsOf(correction, policy, costs);
  return checks.map((charged) => {
    const held = heldCheck(policy, charged);
    const check = store === own ? now(held) : held;
    const amount = isSlot(check) || correction.cancel ? 0 : storeClient.chargeOf(store, check, amountOf(check));
    const change = amount - heldOf(check);
    const cost = change < 0 && !takesBack(check.limit) ? 0 : change;
    return withoutLateCharge({ ...check, cost });
  });
}

function amountsOf(
  correction: ChargeCorrection,
  policy: string,
  ownsCost: ReadonlyMap<string, boolean>,
): (check: HeldCheck) => number {
  checkOptions(correction, ['actual', 'cancel']);
  const { actual, cancel } = correction;
  if (cancel !== undefined && cancel !== true) throw optionError('cancel', 'must be true', cancel);
  if (cancel && actual !== undefined) throw optionError('actual', 'must not stand beside cancel', show(actual));
  return settledAmounts(actual, { policy, ownsCost, path: 'actual' });
}
