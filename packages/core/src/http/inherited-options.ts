import { optionError } from '../values/error.js';

/** The options for the name and the amounts. A policy with its own limits inherits none of them. */
const OWN = ['name', 'limit', 'window', 'limits'];

/**
 * Returns the options of one route in an application with options for all routes. Options that the route does not set
 * come from the application. If the route has its own `limit` or `limits`, they replace all of the application's. The
 * `name` is never inherited.
 *
 * @throws SluiceError `SLUICE_OPTION` for a `window` without a limit, because it would change an inherited limit
 * @example inheritedOptions({ limit: 5, window: '1m' }, { limit: 100, window: '1m', store }) // 5 a minute on that store
 */
export function inheritedOptions<Own extends object, All extends object>(own: Own, all: All): Own & Omit<All, 'name'> {
  const said = present(own);
  const hasAmount = 'limit' in said || 'limits' in said;
  if ('window' in said && !hasAmount) throw optionError('window', 'needs the option limit', said.window);
  const inherited = Object.entries(all).filter(([option]) => option !== 'name' && !(hasAmount && OWN.includes(option)));
  return Object.assign(Object.fromEntries(inherited), said) as Own & Omit<All, 'name'>;
}

/** Drops options that are undefined. */
function present<O extends object>(options: O): Partial<O> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<O>;
}
