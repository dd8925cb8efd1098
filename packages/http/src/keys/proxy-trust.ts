/** Which proxies the framework trusts to send `X-Forwarded-For`: none, all, or those in its settings. */
export type ProxyTrust = 'none' | 'all' | 'some';

/** The properties that Express or Fastify adds to a request. */
interface FrameworkRequest {
  readonly app?: { get(setting: 'trust proxy'): unknown };
  readonly server?: object;
  readonly ips?: readonly string[] | undefined;
}

/**
 * Returns the meaning of the application's setting: `trust proxy` in Express, `trustProxy` in Fastify. Undefined for a
 * request without an application, such as Node's own.
 *
 * @param request - a request with `X-Forwarded-For`
 * @example proxyTrustOf(req) // 'all' after app.set('trust proxy', true)
 */
export function proxyTrustOf(request: object): ProxyTrust | undefined {
  const { app, server, ips }: FrameworkRequest = request;
  // A request that an application makes up may have anything there.
  if (app) return typeof app.get === 'function' ? trustOfExpress(app.get('trust proxy')) : undefined;
  return server && trustOfFastify(server, ips);
}

/** The setting is a boolean, a number of hops, or proxies, as a list or as a function. */
function trustOfExpress(setting: unknown): ProxyTrust {
  if (setting === true) return 'all';
  return setting ? 'some' : 'none';
}

function trustOfFastify(server: object, ips: readonly string[] | undefined): ProxyTrust {
  // Fastify has a list of addresses if it trusts any proxy.
  if (ips === undefined) return 'none';
  // Fastify does not show this setting among its public ones.
  const options = underSymbol(server, 'fastify.options') as { readonly trustProxy?: unknown } | undefined;
  if (options?.trustProxy === true) return 'all';
  // Fastify 5.12 ignores a number; earlier versions count hops.
  return typeof options?.trustProxy === 'number' && ips.length === 1 ? 'none' : 'some';
}

/** Returns the value of an object, or of the nearest prototype, under a symbol with this description. */
function underSymbol(bearer: object | null, description: string): unknown {
  if (bearer === null) return undefined;
  const symbol = Object.getOwnPropertySymbols(bearer).find((own) => own.description === description);
  return symbol ? Reflect.get(bearer, symbol) : underSymbol(Object.getPrototypeOf(bearer), description);
}
