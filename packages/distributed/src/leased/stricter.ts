import type { LimitCheck, PolicyOutline } from '@sluice/core/src/stores/store';
import { optionError } from '@sluice/core/src/values/error';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';
import type { Limit } from '@sluice/core/src/values/limit';
import { checkLeasable, type LeasedLimit, leaseRuleOf } from '../in-front/lease-rule.js';

/** Turns checks into stricter ones, whose units can be spent up to `leaseMs` later. */
export class Stricter {
  readonly #leaseMs: number;
  readonly #limits = new WeakMap<Limit, Limit>();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /**
   * Refuses a policy of which a limit that is known cannot be leased, or leaves nothing in a lease.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED`, `SLUICE_OPTION`
   */
  accept(policy: PolicyOutline): void {
    checkLeasable(policy);
    for (const { name, limit } of policy.limits) {
      if (limit && limit.algorithm !== 'unlimited') this.#limit({ name, limit });
    }
  }

  /**
   * Returns the checks with stricter limits. Each has its own cost, unless another cost is given.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED` if an algorithm cannot be leased; `SLUICE_OPTION` for a margin, and if a limit is
   * too small for the lease
   */
  checks(checks: readonly LimitCheck[], cost?: number): readonly LimitCheck[] {
    return checks.map((check) => ({ ...check, limit: this.#limit(check), cost: cost ?? check.cost }));
  }

  #limit(check: LeasedLimit): Limit {
    if (check.margin || check.parts !== undefined) leaseRuleOf(check);
    return getOrCreate(this.#limits, check.limit, () => stricterLimit(check, this.#leaseMs));
  }
}

function stricterLimit(check: LeasedLimit, leaseMs: number): Limit {
  const stricter = leaseRuleOf(check).stricter(check.limit, leaseMs);
  if (stricter) return Object.freeze(stricter);
  throw optionError(
    'lease',
    `must be shorter for the limit ${JSON.stringify(check.name)}, because its stricter limit would be 0`,
    leaseMs,
  );
}
