import { SluiceError } from '@sluice/core';
import { checkPartialOptions, type HttpOptions, type PolicyHandle, PolicySet } from '@sluice/core/http';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyRequest,
  RegisterOptions,
} from 'fastify';
import fp from 'fastify-plugin';
import { watchHandler } from './handler-watch.js';
import { hookOf, inAnyPhase, type RateLimitHook } from './hook.js';
import { HOOKS, type HookArguments, type OwnOptions, type RateLimitPluginOptions } from './options.js';
import { hookOnRoute, isLimitedOnRoute, ownOptions, PLUGIN, type RouteConfig } from './route-policy.js';

/** `app.rateLimit`: makes hooks, and hands out the policies of the plugin. */
export interface RateLimitFactory {
  /**
   * A hook with a policy of its own, for wherever a hook may stand before the handler. It inherits the plugin's options.
   *
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
   * @example app.post('/login', { preHandler: app.rateLimit({ name: 'login', limit: 5, window: '15m' }) }, handler);
   */
  (options: OwnOptions): RateLimitHook;
  /**
   * The policy of this name: the plugin's own (`'default'`, if it was given none), or a route's (`'GET /users/:id'`), which
   * is there once the app is ready.
   *
   * @throws SluiceError `SLUICE_OPTION` where there is none.
   * @example await app.rateLimit.policy('default').reset(ipKey('203.0.113.7'));
   */
  policy(name: string): PolicyHandle<HookArguments>;
}

/**
 * On an instance of Fastify, and so on those further in: what stands for the nearest plugin. `app.rateLimit` does not, since
 * it may be replaced, by a wrapper around it. The same for all copies of this package in a process.
 */
const NEAREST = Symbol.for('sluice.fastify.nearest');

/** On requests that a plugin has dealt with: one that is sent on to a 404 handler meets the hooks of its scope again. */
const SEEN = Symbol('sluice.seen');

/** Fastify would say no more than that the decorator is there. A scope further in may have one of its own. */
const TAKEN = 'app.rateLimit is in this scope already: give it limits: [...], or register it in a scope further in';

async function plugin(app: FastifyInstance, options: RateLimitPluginOptions & RegisterOptions): Promise<void> {
  if (Object.hasOwn(app, 'rateLimit')) throw new SluiceError('SLUICE_OPTION', TAKEN);
  const { prefix: _, logLevel: __, logSerializers: ___, ...own } = options;
  checkPartialOptions(own, 'options', { hook: HOOKS, global: [true, false] });
  const { global = true, hook: phase = 'onRequest', ...shared } = own;
  const policies = new PolicySet<HttpOptions<HookArguments>, RateLimitHook>(shared, hookOf);
  const general = global && policies.default(options);
  const policyOf = (config: RouteConfig): RateLimitHook | false =>
    config.rateLimit ? policies.get(ownOptions(config), config.rateLimit) : (config.rateLimit ?? general);

  const make = (own: OwnOptions): RateLimitHook => policies.createUnnamed(own);
  const factory: RateLimitFactory = Object.assign(make, { policy: (name: string) => policies.named(name) });
  app.decorate('rateLimit', factory);
  const self = {};
  app.decorate(NEAREST, self);
  if (!app.hasRequestDecorator('rateLimit')) app.decorateRequest('rateLimit');
  const isNearest = (server: FastifyInstance & { [NEAREST]?: object }): boolean => server[NEAREST] === self;

  const isLimited = (config: FastifyContextConfig): boolean => Boolean(config.rateLimit ?? general);
  const limitIn = (place: 'scope' | 'route') =>
    inAnyPhase((request: FastifyRequest & { [SEEN]?: true }, reply, done) => {
      if (request[SEEN] || !isNearest(request.server)) return done();
      const { config } = request.routeOptions;
      // A request that no route is for meets the hooks of its scope, and no others.
      if (place === 'scope' && isLimited(config) && !request.is404 && isLimitedOnRoute(config, self, phase))
        return done();
      request[SEEN] = true;
      const policy = policyOf(config);
      if (policy) policy(request, reply, done);
      else done();
    });
  app.addHook(phase, limitIn('scope'));
  app.addHook('onRoute', function (route) {
    watchHandler(route);
    const { rateLimit } = route.config ?? {};
    const hasOwn = rateLimit !== undefined && rateLimit !== false;
    if (hasOwn) checkPartialOptions(rateLimit, 'config.rateLimit', { hook: HOOKS });
    const hook = isLimited(route.config ?? {}) ? hookOnRoute(rateLimit, phase) : undefined;
    if (!hasOwn && !hook) return;
    const config: RouteConfig = { ...route.config, method: route.method, url: route.url, [PLUGIN]: self };
    if (hasOwn) ownOptions(config, route);
    route.config = config;
    // Fastify runs a route's own hooks behind all those of its scope, however late these are added.
    if (hook) Object.assign(route, { [hook]: [route[hook] ?? [], limitIn('route')].flat() });
    // A plugin that is nearer to the route may still have to come.
    if (hasOwn) this.addHook('onReady', async () => void (isNearest(this) && policyOf(config)));
  });
}

/**
 * The plugin. Limits the requests of its scope, 404s included: answers those above the limit with 429, and tells every
 * client in header fields how it stands. `request.rateLimit` is the reservation, to be settled by handlers that know the
 * real cost.
 *
 * @throws SluiceError `SLUICE_OPTION` for a wrong option, `SLUICE_DUPLICATE_NAME` when the store has another policy of
 * this name: `register` rejects with it, or the adding of a route throws it, or `ready` rejects
 * @example await app.register(rateLimit, { limit: 100, window: '1m' });
 */
export const rateLimit: FastifyPluginAsync<RateLimitPluginOptions> = fp(plugin, {
  fastify: '5.x',
  name: '@sluice/fastify',
});
