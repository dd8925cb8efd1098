/**
 * `@sluice/client/undici`: the limits of `limitedFetch` for the dispatchers of undici 6 and 7.
 *
 * @example
 * const dispatcher = new Agent().compose(limitInterceptor({ name: 'github' }));
 * @module
 */

export {
  type LimitedDispatchOptions,
  type LimitInterceptor,
  type LimitInterceptorOptions,
  limitInterceptor,
} from './limit-interceptor.js';
