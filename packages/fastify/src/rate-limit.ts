// Why it is so: core/docs/why/frameworks.md

import { SluiceError } from '@sluice/core';
import {
  checkPartialOptions,
  type HttpOptions,
  type LimiterOptions,
  type Middleware,
  optionsOf,
  type PolicyHandle,
  PolicySet,
  type RequestLimiter,
} from '@sluice/core/http';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyRequest,
  RegisterOptions,
} from 'fastify';
import fp from 'fastify-plugin';
import { watchHandler } from './handler-watch.js';
import { hookOf, inAnyPhase, type Next, policyOf, type RateLimitHook } from './hook.js';
import { HOOKS, type HookArguments, type OwnOptions, type RateLimitPluginOptions } from './options.js';
import { hookOnRoute, isLimitedOnRoute, ownOptions, PLUGIN, type RouteConfig } from './route-policy.js';

/** `app.rateLimit`: makes hooks, and gives access to the policies of the plugin. */
export interface RateLimitFactory {
  /**
   * Makes a hook with its own policy, for any phase before the handler. It inherits the plugin's options.
   *
   * @param owner - the object that the policy's name belongs to. A hook that is made again, with new options and the same
   * owner, counts together with the former one. Default: the options
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
   * @example app.post('/login', { preHandler: app.rateLimit({ name: 'login', limit: 5, window: '15m' }) }, handler);
   */
  (options: OwnOptions | RequestLimiter, owner?: object): RateLimitHook;
  /**
   * Returns the policy with this name: the plugin's own (`'default'`, if you set no name), or a route's (`'GET
   * /users/:id'`), which exists when the app is ready.
   *
   * @throws SluiceError `SLUICE_OPTION` if there is none
   * @example await app.rateLimit.policy('default').reset(ipKey('203.0.113.7'));
   */
  policy(name: string): PolicyHandle<HookArguments>;
}

/**
 * Marks the nearest plugin on an instance of Fastify, and on the instances inside. `app.rateLimit` cannot do that,
 * because a wrapper may replace it. The symbol is the same for all copies of this package in a process.
 */
const NEAREST = Symbol.for('sluice.fastify.nearest');

/**
 * Marks requests that a plugin has seen. If a request is passed to a 404 handler, it passes the hooks of its scope
 * again.
 */
const SEEN = Symbol('sluice.seen');

/** Fastify would only say that the decorator exists. An inner scope may have its own plugin. */
const TAKEN = 'app.rateLimit already exists in this scope: use limits: [...], or register the plugin in an inner scope';

type PluginOptions = Exclude<RateLimitPluginOptions, RequestLimiter> & RegisterOptions;

/** Fastify adds options of its own, but not to a limiter alone. */
function pluginOptions(options: RateLimitPluginOptions & RegisterOptions): PluginOptions {
  return optionsOf<HookArguments, PluginOptions>(options as PluginOptions | RequestLimiter) as PluginOptions;
}

async function plugin(app: FastifyInstance, options: RateLimitPluginOptions & RegisterOptions): Promise<void> {
  if (Object.hasOwn(app, 'rateLimit')) throw new SluiceError('SLUICE_OPTION', TAKEN);
  const { prefix: _, logLevel: __, logSerializers: ___, ...own } = pluginOptions(options);
  checkPartialOptions(own, 'options', { hook: HOOKS, global: [true, false] });
  const { global = true, hook: phase = 'onRequest', ...shared } = own;
  const policies = new PolicySet<HttpOptions<HookArguments> | LimiterOptions<HookArguments>, Middleware<HookArguments>>(
    shared,
    policyOf,
  );
  const general = global && policies.default(options);
  const policyOn = (config: RouteConfig): Middleware<HookArguments> | false =>
    config.rateLimit ? policies.get(ownOptions(config), config.rateLimit) : (config.rateLimit ?? general);

  const make = (own: OwnOptions | RequestLimiter, owner?: object): RateLimitHook =>
    hookOf(policies.createUnnamed(own, owner));
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
      // A request without a route passes the hooks of its scope only.
      if (place === 'scope' && isLimited(config) && !request.is404 && isLimitedOnRoute(config, self, phase))
        return done();
      request[SEEN] = true;
      const policy = policyOn(config);
      if (policy) policy.pass(request, reply, done as Next);
      else done();
    });
  app.addHook(phase, limitIn('scope'));
  app.addHook('onRoute', function (route) {
    watchHandler(route);
    const { rateLimit } = route.config ?? {};
    const hasOwn = rateLimit !== undefined && rateLimit !== false;
    if (hasOwn) checkPartialOptions(optionsOf(rateLimit), 'config.rateLimit', { hook: HOOKS });
    const hook = isLimited(route.config ?? {}) ? hookOnRoute(rateLimit, phase) : undefined;
    if (!hasOwn && !hook) return;
    const config: RouteConfig = { ...route.config, method: route.method, url: route.url, [PLUGIN]: self };
    if (hasOwn) ownOptions(config, route);
    route.config = config;
    // Fastify runs a route's own hooks after all hooks of its scope, however late these are added.
    if (hook) Object.assign(route, { [hook]: [route[hook] ?? [], limitIn('route')].flat() });
    // A plugin nearer to the route may still be registered.
    if (hasOwn) this.addHook('onReady', async () => void (isNearest(this) && policyOn(config)));
  });
}

/**
 * The plugin. It limits the requests of its scope, 404s included: requests above the limit get status 429, and header
 * fields tell every client its remaining quota. `request.rateLimit` is the reservation. A handler that knows the real
 * cost can settle it.
 *
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy
 * with this name. `register` or `ready` rejects with it, or adding a route throws it.
 * @example await app.register(rateLimit, { limit: 100, window: '1m' });
 */
export const rateLimit: FastifyPluginAsync<RateLimitPluginOptions> = fp(plugin, {
  fastify: '5.x',
  name: '@sluice/fastify',
});
