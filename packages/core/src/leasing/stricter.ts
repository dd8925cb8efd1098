import { ALGORITHMS, type Algorithm } from '../algorithms/index.js';
import type { LeaseRule } from '../algorithms/kernel.js';
import { optionError, SluiceError } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import type { Limit } from '../limit.js';
import type { Check } from '../store.js';

/** Turns checks into those that a store may be asked whose units are spent up to `leaseMs` later. */
export class Stricter {
  readonly #leaseMs: number;
  readonly #limits = new WeakMap<Limit, Limit>();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** @throws SluiceError `SLUICE_VERB` for an algorithm that cannot be leased, `SLUICE_OPTION` for a limit too small for the lease */
  checks(checks: readonly Check[], cost?: number): readonly Check[] {
    return checks.map((check) => ({ ...check, limit: this.#limit(check), cost: cost ?? check.cost }));
  }

  #limit(check: Check): Limit {
    return getOrMake(this.#limits, check.limit, () => stricterLimit(check, this.#leaseMs));
  }
}

/** Until when units that were asked for at `askedMs` may be spent. */
export function leaseEndMs(
  checks: readonly Check[],
  resetsAfterMs: readonly (number | 'never')[],
  askedMs: number,
  leaseMs: number,
): number {
  let endMs = askedMs + leaseMs;
  checks.forEach(({ limit }, i) => {
    const resetAfterMs = resetsAfterMs[i];
    const { lease } = ALGORITHMS[limit.algorithm as Algorithm];
    if (lease?.endsAtReset && typeof resetAfterMs === 'number') endMs = Math.min(endMs, askedMs + resetAfterMs);
  });
  return endMs;
}

/** How long after they were taken so many units may be given back. */
export function returnableMs(limit: Limit, units: number): number {
  const { lease } = ALGORITHMS[limit.algorithm as Algorithm];
  return Math.min(lease?.returnableMs?.(limit, units) ?? MOST_MS, MOST_MS);
}

/** Longer than anything counts, and a time may still be added to it exactly. */
const MOST_MS = 2 ** 52;

/** @throws SluiceError `SLUICE_VERB` for an algorithm whose units cannot be counted apart from the store */
export function leaseRuleOf({ limit, name }: Check): LeaseRule {
  const { lease } = ALGORITHMS[limit.algorithm as Algorithm];
  if (lease) return lease;
  const message = `the limit ${JSON.stringify(name)} cannot be leased: nothing bounds a ${limit.algorithm} whose units are counted later`;
  throw new SluiceError('SLUICE_VERB', message);
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
