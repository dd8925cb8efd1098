import { takesBack } from '../algorithms/returns.js';
import { optionError } from '../values/error.js';
import { usesSlots } from '../values/limit.js';
import { type PolicyRecorder, RETURNED, SPENT } from '../values/policy-recorder.js';
import { checkCost } from './check-builder.js';
import { type HeldCheck, itemNameOf } from './guarantee.js';

/** The real cost of a request: one number for each limit without its own cost, or amounts by limit name. */
export type Settled = number | Readonly<Record<string, number>>;

/** The limits of a reservation's policy. */
interface Limits {
  /** Where the amounts are in the options of the caller. Default: `'settle'`. */
  readonly path?: string;
  /** The name of the policy. */
  readonly policy: string;
  /** By limit name; true for a limit with its own cost. */
  readonly ownsCost: ReadonlyMap<string, boolean>;
}

/**
 * Returns the real cost of each check: as charged, if nothing else is given.
 *
 * @throws SluiceError `SLUICE_COST` if an amount is no safe integer of at least 0; `SLUICE_OPTION` for an unknown name,
 * for a list or a Map, or for a number if every limit has its own cost
 */
export function settledAmounts(actual: Settled | undefined, limits: Limits): (check: HeldCheck) => number {
  if (actual === undefined) return ({ cost }) => cost;
  checkSettled(actual, { path: limits.path, policy: limits.policy, names: limits.ownsCost });
  return typeof actual === 'object' ? amountByName(actual) : oneAmount(actual, limits);
}

/** What is known of the limits that amounts are for. */
interface Named {
  /** Where the amounts are in the options of the caller. Default: `'settle'`. */
  readonly path?: string | undefined;
  /** The name of the policy. */
  readonly policy: string;
  /** The names of its limits. Absent if they are not known: any name is right then. */
  readonly names?: Pick<ReadonlySet<string>, 'has' | 'keys'> | undefined;
}

/**
 * Checks amounts before anything is done with them.
 *
 * @throws SluiceError `SLUICE_COST` if an amount is no safe integer of at least 0; `SLUICE_OPTION` for an unknown name,
 * for a list or a Map
 */
export function checkSettled(actual: Settled, { path = 'settle', policy, names }: Named): void {
  if (typeof actual !== 'object' || actual === null) {
    checkCost(actual);
    return;
  }
  // The items of a list or a Map are not its properties, so nothing would be settled.
  if (Symbol.iterator in actual) {
    throw optionError(path, 'must be an amount, or a record of amounts by limit name', actual);
  }
  for (const [name, amount] of Object.entries(actual)) {
    if (names && !names.has(name)) {
      const rule = `is not a limit of the policy ${JSON.stringify(policy)}: its limits are ${[...names.keys()].join(', ')}`;
      throw optionError(`${path}.${name}`, rule, amount);
    }
    checkCost(amount);
  }
}

function oneAmount(actual: number, { ownsCost, path = 'settle' }: Limits): (check: HeldCheck) => number {
  const names = [...ownsCost.keys()];
  if (names.every((name) => ownsCost.get(name))) {
    throw optionError(
      path,
      `must be a record of amounts by limit name, because every limit has its own cost: { ${names[0]}: amount }`,
      actual,
    );
  }
  return (check) => (ownsCost.get(itemNameOf(check)) ? check.cost : actual);
}

function amountByName(actual: Readonly<Record<string, number>>): (check: HeldCheck) => number {
  const amounts = new Map(Object.entries(actual));
  return (check) => amounts.get(itemNameOf(check)) ?? check.cost;
}

/** Counts units that were charged or given back. */
export function recordCorrections(recorder: PolicyRecorder, checks: readonly HeldCheck[]): void {
  for (const { cost, limit, name, itemName } of checks) {
    if (itemName !== undefined || usesSlots(limit)) continue;
    if (cost < 0 && !takesBack(limit)) continue;
    const { numbers } = recorder.limitSoFar(name);
    const place = cost < 0 ? RETURNED : SPENT;
    numbers[place] = (numbers[place] as number) + Math.abs(cost);
  }
}
