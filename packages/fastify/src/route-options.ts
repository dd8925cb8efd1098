import type { HttpOptions } from '@sluice/core/http';
import type { FastifyContextConfig } from 'fastify';
import type { HookArguments } from './options.js';

/** On the config of a route, so that they are the same in the copies which Fastify makes of that. */
const OWN = Symbol('sluice.own');

type OwnOptions = Partial<HttpOptions<HookArguments>>;

export type RouteConfig = FastifyContextConfig & { method: string | string[]; url: string; [OWN]?: OwnOptions };

/** What a route says of its policy. When to count is not for that to say. */
export function ownOptions(config: RouteConfig): OwnOptions {
  config[OWN] ??= withName(config);
  return config[OWN];
}

function withName(config: RouteConfig): OwnOptions {
  const { hook: _, ...own } = config.rateLimit || {};
  return { ...own, name: own.name ?? routeName(config) };
}

/**
 * What a policy is called whose route does not say: `GET /users/:id`. HEAD shares an allowance with GET. Characters that
 * no header field may have are percent-encoded.
 */
function routeName({ method, url }: RouteConfig): string {
  const methods = [method].flat().map((name) => (name === 'HEAD' ? 'GET' : name));
  return `${[...new Set(methods)].join()} ${encodeURI(url)}`;
}
