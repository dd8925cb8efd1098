// Why it is so: docs/why/operations.md

import type { ChangeResult, Store } from '../stores/store.js';
import { optionError, SluiceError, show } from '../values/error.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import { checkOptions } from '../values/option-checks.js';
import { type Charge, checkCharge, heldBy, localPlaceOf } from './charge.js';
import { type CorrectedTo, type Corrector, correct } from './life/correct.js';
import type { LimitChange } from './limit-change.js';
import type { Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';
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

/** The version of a policy that is in force, as far as a correction needs it. */
export interface Correcting {
  readonly policy: Policy<never>;
  /** The names of the policy's limits; true for a limit with its own cost. */
  readonly ownsCost: ReadonlyMap<string, boolean>;
  readonly store: Store;
  /** Has the store in which this process counts if the other one fails. */
  readonly claim: Pick<NameClaim, 'local'>;
  readonly storeClient: StoreClient;
  /** Gives checks the numbers that their limits have now, in the store that was charged. */
  readonly nowIn: (store: Store) => LimitChange;
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
  const store = storeOf(charge, context);
  const to = correctedTo(correction, charge, context);
  return whenReady(correct(heldBy(charge, store), to, correctorOf(charge, context)), (result) => result ?? 'expired');
}

function checkPolicy({ policy }: Charge, { policy: { name } }: Correcting): void {
  if (policy !== name)
    throw optionError('charge.policy', `must be ${JSON.stringify(name)}, the policy that corrects it`, policy);
}

/** A failure is thrown: whoever has the charge can repeat the correction. */
function correctorOf({ untilMs }: Charge, { storeClient, nowIn }: Correcting): Corrector {
  return {
    chargeOf: (store, check, amount) => storeClient.chargeOf(store, check, amount),
    adjust: (store, change) =>
      storeClient.correct(store, { ...change, checks: change.checks.map(nowIn(store)), notAfterMs: untilMs }),
  };
}

/** Returns the store that was charged. */
function storeOf({ local }: Charge, { store, claim }: Correcting): Store {
  const { local: fallback } = claim;
  if (local === localPlaceOf(store)) return store;
  if (local !== undefined && fallback && local === localPlaceOf(fallback)) return fallback;
  throw new SluiceError(
    'SLUICE_UNSUPPORTED',
    local === undefined
      ? 'the charge is in a store that several processes share, and this policy has another store: give it that store'
      : 'the charge is in the memory of another process or store, because its store shares no counters or had failed: only it can correct it',
  );
}

function correctedTo(correction: ChargeCorrection, { policy, checks }: Charge, { ownsCost }: Correcting): CorrectedTo {
  checkOptions(correction, ['actual', 'cancel']);
  const { actual, cancel } = correction;
  if (cancel !== undefined && cancel !== true) throw optionError('cancel', 'must be true', cancel);
  if (cancel && actual !== undefined) throw optionError('actual', 'must not stand beside cancel', show(actual));
  if (cancel) return 'cancelled';
  const costs = new Map([
    ...ownsCost,
    ...checks.map(({ name, itemName = name, ownsCost: own = false }) => [itemName, own] as const),
  ]);
  return settledAmounts(actual, { policy, ownsCost: costs, path: 'actual' });
}
