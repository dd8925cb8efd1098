import type { Limit } from '@sluice/core';
import type { PolicyObjection } from './policy-check.js';
import type { LimitRule, PolicyFile } from './policy-file.js';

type Path = PolicyObjection['path'];

/**
 * Returns the parts of a file that the decision service cannot honour, because whoever asks it neither tells when a request ends
 * nor can make one wait. It is the `check` of the service itself, so that a file can be tried without it.
 *
 * @example const { mistakes } = readPolicyFile(text, { check: serviceCheck });
 */
export function serviceCheck(file: PolicyFile): readonly PolicyObjection[] {
  return [...partsOf(file)];
}

function* partsOf({ policies, tiers, customers }: PolicyFile): Generator<PolicyObjection> {
  for (const [policy, { limits }] of policies) {
    for (const [i, rule] of limits.entries()) yield* ofRule(rule, ['policies', policy, 'limits', i]);
  }
  for (const [tier, limits] of tiers) {
    for (const [name, limit] of limits) yield* ofLimit(limit, ['tiers', tier, name]);
  }
  // There may be very many customers, and few have overrides.
  for (const [customer, { overrides }] of customers) {
    for (const [name, { limit }] of overrides) yield* ofLimit(limit, ['customers', customer, 'overrides', name]);
  }
}

function* ofRule({ limit, variants, slowDown }: LimitRule, path: Path): Generator<PolicyObjection> {
  if (limit) yield* ofLimit(limit, path);
  for (const variant of variants ?? []) yield* ofLimit(variant.limit, [...path, 'variants', variant.name]);
  if (slowDown) yield { path: [...path, 'slowDown'], rule: `${CANNOT_WAIT}: remove it` };
}

const CANNOT_WAIT = 'lets requests wait, which the decision service cannot do for a proxy';

const NO_END =
  'counts open requests, and nobody tells the decision service when one ends: use a window or a bucket, or the middleware of your framework';

function* ofLimit({ algorithm, capacity = 0, immediate = 0 }: Limit, path: Path): Generator<PolicyObjection> {
  if (algorithm === 'concurrency') yield { path, rule: NO_END };
  if (algorithm !== 'leaky-bucket' || immediate >= capacity) return;
  yield { path, rule: `${CANNOT_WAIT}: use algorithm: token-bucket, or immediate: ${capacity}` };
}
