import type { LeaseRule } from '../../algorithms/definition.js';
import { ALGORITHMS } from '../../algorithms/definitions.js';
import { SluiceError } from '../../values/error.js';
import type { Limit } from '../../values/limit.js';
import type { Check, Reply } from '../store.js';

/** @throws SluiceError `SLUICE_UNSUPPORTED` for an algorithm whose units cannot be counted apart from the store */
export function leaseRuleOf({ limit, name }: Check): LeaseRule {
  const rule = ruleOf(limit);
  if (rule) return rule;
  const message = `the limit ${JSON.stringify(name)} cannot be leased: nothing bounds a ${limit.algorithm} whose units are counted later`;
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}

/** Until when units that a reply granted may be spent: asked for at `askedMs`, on these checks. */
export function leaseEndMs(checks: readonly Check[], { verdicts }: Reply, askedMs: number, leaseMs: number): number {
  let endMs = askedMs + leaseMs;
  checks.forEach(({ limit }, i) => {
    const resetAfterMs = verdicts[i]?.resetAfterMs;
    if (ruleOf(limit)?.endsAtReset && typeof resetAfterMs === 'number') endMs = Math.min(endMs, askedMs + resetAfterMs);
  });
  return endMs;
}

/** Longer than anything counts, and a time may still be added to it exactly. */
const MOST_MS = 2 ** 52;

/** How long after they were taken so many units may be given back. */
export function returnableMs(limit: Limit, units: number): number {
  return Math.min(ruleOf(limit)?.returnableMs?.(limit, units) ?? MOST_MS, MOST_MS);
}

function ruleOf(limit: Limit): LeaseRule | undefined {
  return ALGORITHMS[limit.algorithm]?.lease;
}
