import type { Check } from '../stores/store.js';
import { optionError } from '../values/error.js';
import { checkCost } from './check-builder.js';

/** What a request has really cost: on each limit without a cost of its own, or by limit name. */
export type Settled = number | Readonly<Record<string, number>>;

/** What is known of the limits of a reservation's policy. */
interface Limits {
  /** The policy's name. */
  readonly policy: string;
  /** By limit name; true for one whose cost is its own. */
  readonly ownsCost: ReadonlyMap<string, boolean>;
}

/**
 * What each check has really cost: as charged, where nothing else is said.
 *
 * @throws SluiceError `SLUICE_COST` for an amount that is no safe integer of at least 0, `SLUICE_OPTION` for an unknown
 * name, for a list or a Map, or for a number where every limit has a cost of its own
 */
export function settledAmounts(actual: Settled | undefined, limits: Limits): (check: Check) => number {
  if (actual === undefined) return ({ cost }) => cost;
  return typeof actual === 'object' && actual !== null ? amountByName(actual, limits) : oneAmount(actual, limits);
}

function oneAmount(actual: number, { ownsCost }: Limits): (check: Check) => number {
  checkCost(actual);
  const names = [...ownsCost.keys()];
  if (names.every((name) => ownsCost.get(name))) {
    throw optionError(
      'settle',
      `needs names, since every limit has a cost of its own: settle({ ${names[0]}: amount })`,
      actual,
    );
  }
  return ({ name, cost }) => (ownsCost.get(name) ? cost : actual);
}

function amountByName(
  actual: Readonly<Record<string, number>>,
  { policy, ownsCost }: Limits,
): (check: Check) => number {
  // A list or a Map: what it holds are no properties of it, so nothing would be settled.
  if (Symbol.iterator in actual) {
    throw optionError('settle', 'must be an amount, or a record of amounts by limit name', actual);
  }
  const amounts = new Map(Object.entries(actual));
  for (const [name, amount] of amounts) {
    if (!ownsCost.has(name)) {
      const rule = `is not a limit of policy ${policy}: they are ${[...ownsCost.keys()].join(', ')}`;
      throw optionError(`settle.${name}`, rule, amount);
    }
    checkCost(amount);
  }
  return ({ name, cost }) => amounts.get(name) ?? cost;
}
