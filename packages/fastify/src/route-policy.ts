import { SluiceError } from '@sluice/core';
import { optionsOf } from '@sluice/core/http';
import type { FastifyContextConfig } from 'fastify';
import type { OwnOptions, Phase } from './options.js';
import { type Route, routeName } from './route-name.js';

/** Holds the policy options of a route, on its config and so on Fastify's copies of it. */
const OWN = Symbol('sluice.own');

/** Holds the plugin that a route was added under, on its config. If there are several, it is the nearest. */
export const PLUGIN = Symbol('sluice.plugin');

/** The options of a route, of whatever kind its policy is. */
type NamedOptions = OwnOptions & { readonly name?: string; readonly hook?: Phase };

/** The config of a route, as Fastify passes it on, with the plugin's additions. */
export type RouteConfig = FastifyContextConfig & Route & { [OWN]?: OwnOptions; [PLUGIN]?: object };

/**
 * Returns the policy options of a route, with a name even if the route does not set one. The phase is not part of them.
 */
export function ownOptions(config: RouteConfig, route: Route = config): OwnOptions {
  if (config[OWN]) return config[OWN];
  const said = config.rateLimit || {};
  const { hook: _, ...own }: NamedOptions = optionsOf(said);
  config[OWN] = { ...own, name: own.name ?? routeName(route, said) } as OwnOptions;
  return config[OWN];
}

/**
 * Returns the phase in which a hook on the route limits it, after all other hooks of the phase; undefined if the hook
 * of the scope limits it. In `onRequest` the hook of the scope does it, so that refused requests cost nothing. A later
 * phase is chosen because other hooks find out the key.
 */
export function hookOnRoute(rateLimit: RouteConfig['rateLimit'], phase: Phase): Phase | undefined {
  const own = rateLimit && 'hook' in rateLimit ? rateLimit.hook : undefined;
  return own ?? (phase === 'onRequest' ? undefined : phase);
}

/**
 * Whether a hook on the route limits it, instead of the hook of its scope.
 *
 * @throws SluiceError `SLUICE_OPTION` if it should, but the route was added before the plugin could add the hook
 */
export function isLimitedOnRoute(config: RouteConfig, plugin: object, phase: Phase): boolean {
  const hook = hookOnRoute(config.rateLimit, phase);
  if (!hook) return false;
  if (config[PLUGIN] === plugin) return true;
  if (hook === 'onRequest' && phase === 'onRequest') return false;
  const suggestion = `${config.method} ${config.url} was added before the plugin: await app.register(rateLimit)`;
  throw new SluiceError('SLUICE_OPTION', `hook cannot be ${hook}, because ${suggestion}`, { path: 'hook' });
}
