import type { ProxyTrust } from '@sluice/core/http';
import type { FastifyRequest } from 'fastify';

/** What the application's `trustProxy` setting means. Asked about a request that has `X-Forwarded-For`. */
export function proxyTrust({ ips, server }: FastifyRequest): ProxyTrust {
  // Fastify has addresses of a chain of proxies to tell where any is trusted.
  if (ips === undefined) return 'none';
  const setting = settingOf(server);
  if (setting === true) return 'all';
  // Fastify 5.12 takes a number for nobody, where earlier ones count hops.
  return typeof setting === 'number' && ips.length === 1 ? 'none' : 'some';
}

/** Fastify keeps its options under a symbol of its own, and leaves this one out of those that it shows. */
function settingOf(scope: object | null): unknown {
  if (scope === null) return undefined;
  const symbol = Object.getOwnPropertySymbols(scope).find(({ description }) => description === 'fastify.options');
  return symbol ? Reflect.get(scope, symbol).trustProxy : settingOf(Object.getPrototypeOf(scope));
}
