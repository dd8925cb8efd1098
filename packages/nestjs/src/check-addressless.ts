import { SluiceError } from '@sluice/core';
import type { Enforcer } from '@sluice/core/http';

/**
 * Checks that a policy can count calls that have no address.
 *
 * @param owner - where it would count
 * @param suggestion - what to do there instead of adding a `keyGenerator`
 * @throws SluiceError `SLUICE_KEY`
 * @example checkAddressless(policy, 'Sums.sum takes messages', 'add @SkipRateLimit()');
 */
export function checkAddressless(
  { policy, countsByAddress }: Pick<Enforcer<never>, 'policy' | 'countsByAddress'>,
  owner: string,
  suggestion: string,
): void {
  if (!countsByAddress) return;
  const rule = `${owner}, which have no address to count by: give the policy ${JSON.stringify(policy)} a keyGenerator`;
  throw new SluiceError('SLUICE_KEY', `${rule}, or ${suggestion}`, { path: 'keyGenerator' });
}
