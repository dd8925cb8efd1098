import {
  concurrency,
  createLimiter,
  createLine,
  everyone,
  fixedWindow,
  type Line,
  type Store,
  tokenBucket,
} from '@sluice/core';

/**
 * The client of an API that had a Group of bottleneck, one limiter for each tenant, and a limiter for all behind them:
 *
 * ```js
 * const all = new Bottleneck({ reservoir: 6, reservoirRefreshAmount: 6, reservoirRefreshInterval: 60_000 });
 * const tenants = new Bottleneck.Group({ maxConcurrent: 2, minTime: 100, highWater: 5, strategy: OVERFLOW });
 * tenants.on('created', (limiter) => limiter.chain(all));
 * tenants.key(tenant).schedule(() => call());
 * ```
 */
export function createClient(store: Store): Line<string> {
  const limiter = createLimiter({
    name: 'upstream',
    limits: [
      concurrency({ limit: 2, lease: '30s' }), // maxConcurrent, of each tenant
      { name: 'distance', limit: tokenBucket({ capacity: 1, refillRate: 10 }) }, // minTime: 100
      // reservoir, of all tenants
      { name: 'reservoir', limit: fixedWindow({ limit: 6, window: '1m' }), keyGenerator: everyone() },
    ],
    store,
  });
  return createLine({ limiter, perKey: 5 }); // highWater
}
