import { optionError } from '../values/error.js';

/** What says how much and under which name: a policy with limits of its own takes none of it from another. */
const OWN = ['name', 'limit', 'window', 'limits'];

/**
 * The options of one route, where an application has options for all: what the route does not say comes from the
 * application. Its own `limit` or `limits` stands in place of all of the application's, whose `name` is never inherited.
 *
 * @throws SluiceError `SLUICE_OPTION` for a `window` alone, which would be another limit under an inherited number
 * @example inheritedOptions({ limit: 5, window: '1m' }, { limit: 100, window: '1m', store }) // 5 a minute on that store
 */
export function inheritedOptions<Own extends object, All extends object>(own: Own, all: All): Own & Omit<All, 'name'> {
  const said = present(own);
  const hasAmount = 'limit' in said || 'limits' in said;
  if ('window' in said && !hasAmount) throw optionError('window', 'needs a limit beside it', said.window);
  const inherited = Object.entries(all).filter(([option]) => option !== 'name' && !(hasAmount && OWN.includes(option)));
  return Object.assign(Object.fromEntries(inherited), said) as Own & Omit<All, 'name'>;
}

/** An option that is undefined is absent. */
function present<O extends object>(options: O): Partial<O> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<O>;
}
