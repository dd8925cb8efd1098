import type { Resolvable, Resolver } from '@sluice/core/src/limiter/policy/options';
import { checkObject } from '@sluice/core/src/values/check-object';
import { optionError } from '@sluice/core/src/values/error';
import type { Key } from '@sluice/core/src/values/key';
import { checkFunction, checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import {
  checkHttpOptions,
  HTTP_INSTEAD,
  HTTP_OPTIONS,
  type HttpOptions,
  REQUEST_OPTIONS,
  type RequestOptions,
} from './options.js';
import { checkRequestLimiter, isRequestLimiter, type RequestLimiter } from './request-limiter.js';

/** Options of requests that only the owner of the limits can follow. */
const OWNERS_OWN = ['onMissingKey', 'maxWait', 'waiting'] as const;

/** All options of a policy whose limits somebody else has. */
export const LIMITER_OPTIONS: readonly string[] = [
  ...REQUEST_OPTIONS.filter((option) => !OWNERS_OWN.some((own) => own === option)),
  ...['skip', 'cost', 'limiter', 'keys', 'tier'],
];

/**
 * The options of a policy whose limits somebody else has, such as the decision service. `rateLimit(remote)` is the same as
 * `rateLimit({ limiter: remote })`. The other options are about the request and the response, and work as in every policy.
 *
 * @example rateLimit({ limiter: decisions({ url, policy: 'api' }), skip: (req) => req.path === '/health' })
 */
export interface LimiterOptions<A extends readonly unknown[]>
  extends Omit<RequestOptions<A>, (typeof OWNERS_OWN)[number]> {
  /** Decides: `decisions()` of `@sluice/client/decisions`. */
  limiter: RequestLimiter;
  /** Returns true for a request that passes without being counted. Default: every request counts. */
  skip?: Resolver<A, boolean>;
  /** Units that a request spends: a safe integer of at least 0. Default: the policy of the limiter says it. */
  cost?: Resolvable<A, number>;
  /**
   * The keys that the policy takes from code (`from: code`), by their names. If a function returns undefined or null, the
   * request is counted by its address.
   */
  keys?: Readonly<Record<string, Resolver<A, Key | null | undefined>>>;
  /** Returns the tier, if the policy takes it from code. Undefined is the default tier. */
  tier?: Resolver<A, string | undefined>;
}

/** The options of a policy with limits of its own, or of one whose limits somebody else has; or that limiter alone. */
export type RateLimitSource<A extends readonly unknown[]> = HttpOptions<A> | LimiterOptions<A> | RequestLimiter;

/** Returns the options of a source. A limiter alone has no others. */
export function optionsOf<A extends readonly unknown[], O extends object = HttpOptions<A> | LimiterOptions<A>>(
  source: O | RequestLimiter,
): O | LimiterOptions<A> {
  return isRequestLimiter(source) ? { limiter: source } : source;
}

/** Whether somebody else has the limits of a policy. */
export function hasLimiter<A extends readonly unknown[]>(
  options: Partial<HttpOptions<A>> | LimiterOptions<A>,
): options is LimiterOptions<A> {
  return typeof options === 'object' && options !== null && 'limiter' in options && options.limiter !== undefined;
}

/**
 * Checks the options of a policy whose limits somebody else has.
 *
 * @param further - options that only the adapter has
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkLimiterOptions<A extends readonly unknown[]>(
  options: LimiterOptions<A>,
  further: readonly string[] = [],
): void {
  const known = [...LIMITER_OPTIONS, ...further];
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option) || !HTTP_OPTIONS.some((name) => name === option)) continue;
    throw optionError(option, 'must not be beside limiter, which decides by options of its own', value);
  }
  checkOptions(options, known, '', { instead: HTTP_INSTEAD });
  checkRequestLimiter(options.limiter);
  checkHttpOptions(options);
  const { cost, skip, keys = {}, tier } = options;
  if (skip !== undefined) checkFunction(skip, 'skip');
  if (tier !== undefined) checkFunction(tier, 'tier');
  if (typeof cost !== 'function' && cost !== undefined) checkWhole(cost, 'cost');
  checkObject(keys, 'keys', '{ team: (req) => req.user.team }');
  for (const [name, read] of Object.entries(keys)) checkFunction(read, `keys[${JSON.stringify(name)}]`);
}
