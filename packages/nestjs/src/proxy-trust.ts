import type { HttpRequest, ProxyTrust } from '@sluice/core/http';

/** What is read of an Express request, or of a Fastify request. */
interface PlatformRequest {
  readonly app?: { get(setting: 'trust proxy'): unknown };
  readonly server?: object;
  readonly ips?: readonly string[];
}

/** What the platform's setting means. Asked about a request that has `X-Forwarded-For`. */
export function proxyTrust(request: HttpRequest & PlatformRequest): ProxyTrust {
  const { app, server, ips } = request;
  const setting = app ? app.get('trust proxy') : server && ips && fastifySetting(server);
  if (setting === true) return 'all';
  // Fastify 5.12 takes a number for nobody, where earlier ones count hops.
  const isNobody = !setting || (!app && typeof setting === 'number' && ips?.length === 1);
  return isNobody ? 'none' : 'some';
}

/** Fastify keeps its options under a symbol of its own, and leaves this one out of those that it shows. */
function fastifySetting(server: object): unknown {
  const symbol = Object.getOwnPropertySymbols(server).find(({ description }) => description === 'fastify.options');
  return symbol && Reflect.get(server, symbol).trustProxy;
}
