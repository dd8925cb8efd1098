import type { PolicyOutline } from '../stores/store.js';
import type { Args, PolicyOptions } from './policy/options.js';
import { outlineOf, policyOf } from './policy/parse.js';

/**
 * Checks the options of a policy and returns what is known of it before the first request. Nothing is created: no store, no
 * limiter, and no counters. Use it to check options that are put into force later, or never.
 *
 * @throws SluiceError `SLUICE_OPTION` or `SLUICE_DUPLICATE_NAME`, with the path of the wrong option
 */
export function checkPolicy<A extends Args>(options: PolicyOptions<A>): PolicyOutline {
  return outlineOf(policyOf(options));
}
