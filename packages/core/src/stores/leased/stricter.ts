import { optionError } from '../../values/error.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { Limit } from '../../values/limit.js';
import type { Check } from '../store.js';
import { leaseRuleOf } from './lease-rule.js';

/** Turns checks into those that a store may be asked whose units are spent up to `leaseMs` later. */
export class Stricter {
  readonly #leaseMs: number;
  readonly #limits = new WeakMap<Limit, Limit>();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /**
   * The checks by their stricter limits, each with its own cost unless another is given.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED` for an algorithm that cannot be leased, `SLUICE_OPTION` for a limit too small for
   * the lease
   */
  checks(checks: readonly Check[], cost?: number): readonly Check[] {
    return checks.map((check) => ({ ...check, limit: this.#limit(check), cost: cost ?? check.cost }));
  }

  #limit(check: Check): Limit {
    return getOrCreate(this.#limits, check.limit, () => stricterLimit(check, this.#leaseMs));
  }
}

function stricterLimit(check: Check, leaseMs: number): Limit {
  const stricter = leaseRuleOf(check).stricter(check.limit, leaseMs);
  if (stricter) return Object.freeze(stricter);
  throw optionError(
    'lease',
    `must be shorter for the limit ${JSON.stringify(check.name)}, of which it leaves nothing`,
    leaseMs,
  );
}
