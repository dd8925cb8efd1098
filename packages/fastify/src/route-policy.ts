import { SluiceError } from '@sluice/core';
import type { FastifyContextConfig } from 'fastify';
import type { OwnOptions, Phase } from './options.js';
import { type Route, routeName } from './route-name.js';

/** On the config of a route, and so on the copies which Fastify makes of that: what the route says of its policy. */
const OWN = Symbol('sluice.own');

/** On the config of a route: the plugin that was there when it was added, of several the nearest. */
export const PLUGIN = Symbol('sluice.plugin');

/** The config of a route, as Fastify hands it on, with what the plugin has put there. */
export type RouteConfig = FastifyContextConfig & Route & { [OWN]?: OwnOptions; [PLUGIN]?: object };

/** What a route says of its policy, which has a name though the route may not say one. When to count is not part of it. */
export function ownOptions(config: RouteConfig, route: Route = config): OwnOptions {
  if (config[OWN]) return config[OWN];
  const said = config.rateLimit || {};
  const { hook: _, ...own } = said;
  config[OWN] = { ...own, name: own.name ?? routeName(route, said) };
  return config[OWN];
}

/**
 * The phase in which a route is limited by a hook of its own, behind all others of that phase; undefined where its scope's
 * hook limits it. In `onRequest` that is where the plugin stands, so that what is refused has cost nothing; a later phase is
 * chosen for what other hooks find out.
 */
export function hookOnRoute(rateLimit: RouteConfig['rateLimit'], phase: Phase): Phase | undefined {
  const own = rateLimit ? rateLimit.hook : undefined;
  return own ?? (phase === 'onRequest' ? undefined : phase);
}

/**
 * Whether a hook on the route limits it, and not that of its scope.
 *
 * @throws SluiceError `SLUICE_OPTION` where it should, but the route was added before this plugin was there to put a hook on
 * it.
 */
export function isLimitedOnRoute(config: RouteConfig, plugin: object, phase: Phase): boolean {
  const hook = hookOnRoute(config.rateLimit, phase);
  if (!hook) return false;
  if (config[PLUGIN] === plugin) return true;
  if (hook === 'onRequest' && phase === 'onRequest') return false;
  const suggestion = `${config.method} ${config.url} was added before the plugin was there: await app.register(rateLimit)`;
  throw new SluiceError('SLUICE_OPTION', `hook cannot be ${hook}, since ${suggestion}`, { path: 'hook' });
}
