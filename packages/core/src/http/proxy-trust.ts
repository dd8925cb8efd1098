/** Whose `X-Forwarded-For` the framework believes: nobody's, anybody's, or that of proxies it was told of. */
export type ProxyTrust = 'none' | 'all' | 'some';

/**
 * What a framework's setting means: a boolean, a number of hops, or proxies, as a list or as a function that knows them.
 *
 * @param ips - of a framework that tells addresses only where somebody is trusted: those of a request with
 *   `X-Forwarded-For`, as far as they are believed, the connection's among them. A number may mean nobody there.
 * @example trustIn(req.app.get('trust proxy'))
 */
export function trustIn(setting: unknown, ips?: readonly string[]): ProxyTrust {
  if (setting === true) return 'all';
  const isNobody = ips ? typeof setting === 'number' && ips.length === 1 : !setting;
  return isNobody ? 'none' : 'some';
}

/**
 * What an object, or the nearest that it inherits from, keeps under a symbol of this description: for settings that a
 * framework does not show.
 */
export function underSymbol(bearer: object | null, description: string): unknown {
  if (bearer === null) return undefined;
  const symbol = Object.getOwnPropertySymbols(bearer).find((own) => own.description === description);
  return symbol ? Reflect.get(bearer, symbol) : underSymbol(Object.getPrototypeOf(bearer), description);
}
