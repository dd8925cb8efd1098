/** Whose `X-Forwarded-For` the framework believes: nobody's, anybody's, or that of proxies it was told of. */
export type ProxyTrust = 'none' | 'all' | 'some';

/** What Express, or Fastify, puts on a request. */
interface FrameworkRequest {
  readonly app?: { get(setting: 'trust proxy'): unknown };
  readonly server?: object;
  readonly ips?: readonly string[] | undefined;
}

/**
 * What the setting of a request's application means: `trust proxy` in Express, `trustProxy` in Fastify. Undefined for a
 * request that has no application to ask, such as Node's own.
 *
 * @param request - one with `X-Forwarded-For`.
 * @example proxyTrustOf(req) // 'all' after app.set('trust proxy', true)
 */
export function proxyTrustOf(request: object): ProxyTrust | undefined {
  const { app, server, ips }: FrameworkRequest = request;
  if (app) return trustOfExpress(app.get('trust proxy'));
  return server && trustOfFastify(server, ips);
}

/** A setting is a boolean, a number of hops, or proxies, as a list or as a function that knows them. */
function trustOfExpress(setting: unknown): ProxyTrust {
  if (setting === true) return 'all';
  return setting ? 'some' : 'none';
}

function trustOfFastify(server: object, ips: readonly string[] | undefined): ProxyTrust {
  // Fastify has addresses of a chain of proxies to tell where any is trusted.
  if (ips === undefined) return 'none';
  // It leaves this setting out of those that it shows.
  const options = underSymbol(server, 'fastify.options') as { readonly trustProxy?: unknown } | undefined;
  if (options?.trustProxy === true) return 'all';
  // For 5.12 a number is nobody, where earlier ones count hops.
  return typeof options?.trustProxy === 'number' && ips.length === 1 ? 'none' : 'some';
}

/** What an object, or the nearest that it inherits from, keeps under a symbol of this description. */
function underSymbol(bearer: object | null, description: string): unknown {
  if (bearer === null) return undefined;
  const symbol = Object.getOwnPropertySymbols(bearer).find((own) => own.description === description);
  return symbol ? Reflect.get(bearer, symbol) : underSymbol(Object.getPrototypeOf(bearer), description);
}
