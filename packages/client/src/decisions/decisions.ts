import type { DecisionsLimiter } from './decisions-limiter.js';
import { checkDecisionsOptions, type DecisionsOptions } from './decisions-options.js';
import { ServiceLimiter } from './service-limiter.js';

/**
 * Makes a limiter that asks a decision service. It counts in no store: the service has the limits and the counters, and this
 * process has only connections to it.
 *
 * If the service fails, or does not answer within `deadline`, `onStoreError` decides. The `source` of a decision says so, the
 * event `sluice:store-error` reports it, and `storeMetrics()` counts it under the name `decisions`. After several failures in a
 * row the service is not asked until a probe succeeds.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example app.use(rateLimit(decisions({ url: 'http://127.0.0.1:8080', policy: 'api' })));
 */
export function decisions(options: DecisionsOptions): DecisionsLimiter {
  return new ServiceLimiter(checkDecisionsOptions(options));
}
