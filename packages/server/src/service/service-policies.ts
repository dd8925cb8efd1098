import { type PoliciesOptions, serviceCheck } from '@sluice/config';
import type { ServiceCall } from './service-call.js';

/**
 * The options of `policies` for a service: callers give the values that a file takes from code, and a file that the service
 * cannot honour is refused.
 *
 * @example const live = await policies({ source, store, ...SERVICE_POLICIES });
 */
export const SERVICE_POLICIES: Required<
  Pick<PoliciesOptions<ServiceCall, boolean>, 'keys' | 'tiers' | 'costs' | 'check'>
> = {
  keys: (name) => (call) => (call.keys !== undefined && Object.hasOwn(call.keys, name) ? call.keys[name] : undefined),
  tiers: () => (call) => call.tier,
  costs: () => (call) => call.cost,
  check: serviceCheck,
};
