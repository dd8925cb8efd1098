import { optionError } from '@sluice/core/src/values/error';
import { LIMITER_OPTIONS } from './limiter-options.js';

/** The options for the name and the amounts. A policy with its own limits, or its own limiter, inherits none of them. */
const OWN = ['name', 'limit', 'window', 'limits', 'limiter', 'keys', 'tier'];

/** Amounts that are parts of the limit beside them, or more than it. They go with it, because beside another limit they would be wrong. */
const MEASURED = ['slowDown', 'elastic', 'guarantee', 'lend'];

/**
 * Returns the options of one route in an application with options for all routes. Options that the route does not set
 * come from the application. If the route has its own `limit` or `limits`, they replace all of the application's, with what is measured by
 * them, and so does a `limiter`, which inherits only options about requests and responses. The `name` is never inherited.
 *
 * @throws SluiceError `SLUICE_OPTION` for a `window` without a limit, because it would change an inherited limit
 * @example inheritedOptions({ limit: 5, window: '1m' }, { limit: 100, window: '1m', store }) // 5 a minute on that store
 */
export function inheritedOptions<Own extends object, All extends object>(own: Own, all: All): Own & Omit<All, 'name'> {
  const said = present(own);
  const hasLimiter = 'limiter' in said;
  const hasAmount = hasLimiter || hasLimits(said);
  if ('window' in said && !hasAmount) throw optionError('window', 'needs the option limit', said.window);
  const replaced = hasLimits(present(all)) ? [...OWN, ...MEASURED] : OWN;
  const isInherited = (option: string): boolean => {
    if (hasLimiter && !LIMITER_OPTIONS.includes(option)) return false;
    return option !== 'name' && !(hasAmount && replaced.includes(option));
  };
  const inherited = Object.entries(all).filter(([option]) => isInherited(option));
  const options: Partial<Waiting> = Object.assign(Object.fromEntries(inherited), said);
  if (hasAmount && !('waiting' in said) && !letsWait(options)) delete options.waiting;
  return options as Own & Omit<All, 'name'>;
}

function hasLimits(options: object): boolean {
  return 'limit' in options || 'limits' in options;
}

/** The options by which requests wait. */
interface Waiting {
  readonly maxWait: unknown;
  readonly slowDown: unknown;
  readonly limits: readonly object[];
  waiting: unknown;
}

/** Whether requests may wait, so that `waiting` says how many. */
function letsWait({ maxWait, slowDown, limits }: Partial<Waiting>): boolean {
  if (maxWait !== undefined || slowDown !== undefined) return true;
  return Array.isArray(limits) && limits.some((item) => Object(item).slowDown !== undefined);
}

/** Drops options that are undefined. */
function present<O extends object>(options: O): Partial<O> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<O>;
}
