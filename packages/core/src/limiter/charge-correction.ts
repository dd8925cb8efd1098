import { takesBack } from '../algorithms/returns.js';
import type { ChangeReply, ChangeResult, Check, Correction, Store } from '../stores/store.js';
import { optionError, SluiceError, show } from '../values/error.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import { checkOptions } from '../values/option-checks.js';
import { type Charge, checkCharge, heldCheck, localPlaceOf } from './charge.js';
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
export interface Correcting {
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
  if (charge.policy !== context.policy) {
    throw optionError(
      'charge.policy',
      `must be ${JSON.stringify(context.policy)}, the policy that corrects it`,
      charge.policy,
    );
  }
  const store = storeOf(charge, context);
  const changes = changesOf(charge, correction, store, context, ({ cost }) => cost);
  const slots = changes.filter(isSlot);
  const units = changes.filter((change) => !isSlot(change));
  const { atMs, untilMs, id, slot } = charge;
  // Others may be able to correct it for longer.
  const keptUntilMs = Math.max(untilMs, atMs + (correctableMsOf(id) ?? 0));
  const adjust = (checks: readonly Correction[], own: { id: string; keptUntilMs?: number }): Eventual<ChangeReply> =>
    context.storeClient.correct(store, { checks, atMs, notAfterMs: untilMs, ...own });
  const once = (checks: readonly Correction[], own: string): Eventual<ChangeResult> =>
    whenReady(adjust(checks, { id: own, keptUntilMs }), (reply) => resultOf(reply, checks, untilMs));
  const free = (): Eventual<ChangeReply | undefined> =>
    slots.length === 0 || slot === undefined
      ? undefined
      : whenReady(leaseRenewerOf(store).release(slot), () => adjust(slots, { id: slot }));
  return whenReady(free(), (freed) => {
    if (units.length === 0) return freed?.result ?? 'expired';
    return whenReady(once(units, id), (result) => {
      if (result !== 'given-back') return result;
      // The charge has ended by itself. What its work has cost is charged anew, once.
      if (correction.cancel) return 'repeated';
      const anew = changesOf(charge, correction, store, context, heldAfterEnd).filter((change) => !isSlot(change));
      return once(anew, secondTurnOf(id));
    });
  });
}

/** A correction that changes no number is made, too: the store remembers it. */
function resultOf({ result, atMs }: ChangeReply, units: readonly Correction[], untilMs: number): ChangeResult {
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
  { policy, checks }: Charge,
  correction: ChargeCorrection,
  store: Store,
  { ownsCost, storeClient, now, store: own }: Correcting,
  heldOf: (check: Check) => number,
): readonly Correction[] {
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
): (check: Check) => number {
  checkOptions(correction, ['actual', 'cancel']);
  const { actual, cancel } = correction;
  if (cancel !== undefined && cancel !== true) throw optionError('cancel', 'must be true', cancel);
  if (cancel && actual !== undefined) throw optionError('actual', 'must not stand beside cancel', show(actual));
  return settledAmounts(actual, { policy, ownsCost, path: 'actual' });
}
