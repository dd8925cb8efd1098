import { type ProxyTrust, trustIn, underSymbol } from '@sluice/core/http';
import type { FastifyRequest } from 'fastify';

/** What the application's `trustProxy` setting means. Asked about a request that has `X-Forwarded-For`. */
export function proxyTrust({ ips, server }: FastifyRequest): ProxyTrust {
  // Fastify has addresses of a chain of proxies to tell where any is trusted.
  if (ips === undefined) return 'none';
  // It leaves this setting out of those that it shows. For 5.12 a number is nobody, where earlier ones count hops.
  const options = underSymbol(server, 'fastify.options') as { readonly trustProxy?: unknown } | undefined;
  return trustIn(options?.trustProxy, ips);
}
