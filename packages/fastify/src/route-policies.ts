import { MemoryStore, SluiceError } from '@sluice/core';
import { inheritedOptions, type PolicyHandle } from '@sluice/core/http';
import type { FastifyContextConfig } from 'fastify';
import { hookOf, type RateLimitHook } from './hook.js';
import type { RateLimitOptions } from './options.js';
import { routeName } from './route-name.js';

/** On the config of a route, so that it is known again in the copies which Fastify makes of that. */
export const ROUTE = Symbol('route');

export type RouteConfig = FastifyContextConfig & { method: string | string[]; url: string; [ROUTE]?: object };

/** The policies of one plugin, on one store: its own, and those of the routes that want one. */
export class RoutePolicies {
  readonly #shared: Partial<RateLimitOptions>;
  readonly #own: RateLimitHook | undefined;
  readonly #ofRoutes = new WeakMap<object, RateLimitHook>();
  readonly #byName = new Map<string, PolicyHandle>();

  /** @param owner - what the plugin's own policy belongs to; absent if it has none. */
  constructor(options: Partial<RateLimitOptions>, owner: object | undefined) {
    this.#shared = { ...options, store: options.store ?? new MemoryStore() };
    this.#own = owner && this.#make(this.#shared, owner);
  }

  of(config: RouteConfig): RateLimitHook | undefined {
    const { rateLimit, method, url, [ROUTE]: route = config } = config;
    if (!rateLimit) return rateLimit === false ? undefined : this.#own;
    const known = this.#ofRoutes.get(route);
    if (known) return known;
    const name = rateLimit.name ?? routeName(method, url);
    const made = this.#make(inheritedOptions({ ...rateLimit, name }, this.#shared), rateLimit);
    this.#ofRoutes.set(route, made);
    return made;
  }

  named(name: string): PolicyHandle {
    const handle = this.#byName.get(name);
    if (handle) return handle;
    const names = [...this.#byName.keys()].join(', ');
    throw new SluiceError('SLUICE_OPTION', `name must be one of ${names}, got ${name}`, {
      path: 'name',
      received: name,
    });
  }

  #make(options: object, owner: object): RateLimitHook {
    const made = hookOf(options, owner);
    this.#byName.set(made.policy, made);
    return made;
  }
}
