import type { LeaseRule } from '@sluice/core/src/algorithms/definition';
import { ALGORITHMS } from '@sluice/core/src/algorithms/definitions';
import type { LimitCheck, PolicyOutline, StoreResponse } from '@sluice/core/src/stores/store';
import { optionError, SluiceError } from '@sluice/core/src/values/error';
import type { Limit } from '@sluice/core/src/values/limit';

/** The part of a check that says whether and how its limit is leased. */
export type LeasedLimit = Pick<LimitCheck, 'name' | 'limit' | 'margin' | 'parts'>;

/**
 * Returns how units of this check's limit can be taken in advance.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` if they cannot, because they have to be counted in the store at once;
 * `SLUICE_OPTION` for a margin or a guarantee
 */
export function leaseRuleOf({ limit, name, margin, parts }: LeasedLimit): LeaseRule {
  if (margin) throw marginError(name, margin);
  if (parts !== undefined) throw guaranteeError(name, parts);
  return leasableRule(name, limit.algorithm);
}

/**
 * Refuses a policy with a limit that cannot be counted later, as far as that is known before the first request. With
 * margins, it would be exceeded by a margin each time. With guaranteed parts, units would be missing in the parts of
 * others.
 *
 * @throws SluiceError `SLUICE_OPTION` for margins and guarantees; `SLUICE_UNSUPPORTED` for an algorithm
 */
export function checkLeasable({ limits }: PolicyOutline): void {
  for (const { name, algorithm, usesMargin, usesGuarantee } of limits) {
    if (usesMargin) throw marginError(name, usesMargin);
    if (usesGuarantee) throw guaranteeError(name, usesGuarantee);
    if (algorithm !== undefined && algorithm !== 'unlimited') leasableRule(name, algorithm);
  }
}

function leasableRule(name: string, algorithm: Limit['algorithm']): LeaseRule {
  const rule = ALGORITHMS[algorithm]?.lease;
  if (rule) return rule;
  const message = `the limit ${JSON.stringify(name)} cannot be leased, because a ${algorithm} has no bound if its units are counted later: count it on the store beneath`;
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}

function guaranteeError(name: string, received: unknown): SluiceError {
  return optionError(
    'store',
    `cannot count the limit ${JSON.stringify(name)}, which has a guarantee, apart from the store behind it: give the policy the store behind`,
    received,
  );
}

function marginError(name: string, received: unknown): SluiceError {
  return optionError(
    'store',
    `cannot count the limit ${JSON.stringify(name)}, which has tolerance, elastic or headroom, apart from the store behind it: give the policy the store behind`,
    received,
  );
}

/** Returns until when the units of a response can be spent. They were asked for at `askedMs`, on these checks. */
export function leaseEndMs(
  checks: readonly LimitCheck[],
  { verdicts }: StoreResponse,
  askedMs: number,
  leaseMs: number,
): number {
  let endMs = askedMs + leaseMs;
  checks.forEach(({ limit }, i) => {
    const resetAfterMs = verdicts[i]?.resetAfterMs;
    if (ruleOf(limit)?.endsAtReset && typeof resetAfterMs === 'number') endMs = Math.min(endMs, askedMs + resetAfterMs);
  });
  return endMs;
}

function ruleOf(limit: Limit): LeaseRule | undefined {
  return ALGORITHMS[limit.algorithm]?.lease;
}
