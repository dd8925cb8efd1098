import { randomInt } from 'node:crypto';
import { type Duration, type Key, type Limit, MemoryStore, type Store } from '@sluice/core';
import {
  checkFunction,
  checkLimit,
  checkOneOf,
  checkOptions,
  checkWhole,
  durationMs,
  optionError,
} from '@sluice/core/values';
import { type BreakerOptions, breakerSettings } from './breaker-option.js';
import { type ConcurrencyOption, concurrencySettings } from './concurrency-option.js';
import { IDEMPOTENT, type RetryPolicy } from './engine/retry-policy.js';
import { defaultKey } from './fetch/default-key.js';
import type { BreakerSettings } from './limits/breaker.js';
import type { ClientLimits } from './limits/client-policy.js';

/** When a request is sent again. */
export interface RetryOptions {
  /** How often a request is sent at most, the first time included: 1 to 10. Default: 3. */
  attempts?: number;
  /**
   * The methods that are sent again. Default: GET, HEAD, OPTIONS, PUT, DELETE and QUERY. A request with the header
   * field `Idempotency-Key` is sent again whatever its method is. A body that can be read only once is never sent again.
   */
  methods?: readonly string[];
  /** The retries to a server, as a part of the requests to it: above 0, up to 1. Default: 0.1, and at least one a second. */
  budget?: number;
  /**
   * The longest pause before the first retry, where the server states no time. The pause is any time up to it, and it
   * doubles with each further retry, up to 30 s. Default: `'100ms'`.
   */
  base?: Duration;
}

/** The options that clients of every kind have. */
export interface CommonOptions {
  /** When a request is sent again; `false`: never. Default: see `RetryOptions`. */
  retry?: RetryOptions | false;
  /**
   * When requests are not sent because the server does not answer, or refuses most of them; `false`: never. Such a call rejects
   * with `SLUICE_UNAVAILABLE`. Default: see `BreakerOptions`; `false` with an adaptive concurrency, where calls wait instead.
   */
  breaker?: BreakerOptions | false;
  /**
   * The longest time that a call waits in all, for its turn and for retries: 0 to 100 years. A wait that would be longer
   * does not begin. Default: `'60s'`. A call replaces it by `init.sluice.maxWait`.
   */
  maxWait?: Duration;
  /** Returns numbers from 0 to below 1, for tests. Default: random numbers. */
  random?: () => number;
}

/** The options of a client with a limiter of its own. */
export interface ClientOptions extends CommonOptions {
  /** The name of the policy in the store: the same in all processes that share the limits. Default: `'client'`. */
  name?: string;
  /**
   * Returns what the server counts by. The request has no body. Default: the origin of the URL, and a hash of the
   * credentials in `Authorization`, `X-Api-Key`, `Api-Key`, `X-Goog-Api-Key`, `Private-Token` and `X-Auth-Token`. Of a
   * signed request it is who has signed. Set it where a cookie or the query names the account.
   */
  key?: (request: Request) => Key | Promise<Key>;
  /** Where requests are counted. Processes share the limits by sharing the store. Default: a new `MemoryStore`. */
  store?: Store;
  /**
   * `'learn'` (default) keeps the limits that the server states. A limit of your own is kept beside them: set it if the
   * server states none, or if you want to use less.
   */
  limit?: Limit | 'learn';
  /**
   * `'burst'` (default) sends at once as long as the limit allows. `'even'` sends one request after the other, as far apart
   * as the limit lasts.
   */
  pace?: 'burst' | 'even';
  /**
   * How many requests are under way at the same time, bodies of answers included. A number, from 1 to 10,000, counts over
   * all processes. `'adaptive'` lets each process find how many the server of each key can take: it grows while answers
   * come and calls wait, and shrinks when the server refuses or cannot be reached. `{ adaptive: { … } }` sets its numbers.
   * Default: any number.
   */
  concurrency?: ConcurrencyOption;
}

/** The names of the options of a client with a limiter of its own. */
export const CLIENT_OPTIONS = [
  'name',
  'key',
  'store',
  'limit',
  'pace',
  'concurrency',
  'retry',
  'breaker',
  'maxWait',
  'random',
] as const;

const DEFAULT_WAIT = '60s';
const MOST_ATTEMPTS = 10;

/** The options of clients of every kind, after checks. */
interface CommonSettings {
  readonly retry: RetryPolicy | undefined;
  readonly breaker: BreakerSettings;
  readonly maxWaitMs: number;
  readonly random: () => number;
}

/**
 * Reads the options of a client with a limiter of its own.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function clientSettings(
  options: ClientOptions,
): CommonSettings & { readonly limits: ClientLimits; readonly keyOf: (head: Request) => Key | Promise<Key> } {
  const { name = 'client', key = defaultKey, store = new MemoryStore(), limit = 'learn' } = options;
  const concurrency = concurrencySettings(options.concurrency);
  // An adaptive concurrency sends one request at a time to a server where nothing succeeds, and lets the others wait.
  const breaker = options.breaker ?? (concurrency.adaptive ? false : undefined);
  checkFunction(key, 'key');
  return {
    ...commonSettings({ ...options, ...(breaker !== undefined && { breaker }) }),
    keyOf: key,
    limits: {
      name,
      store: checkStore(store),
      limit: limit === 'learn' ? undefined : ownLimit(limit),
      isEven: checkOneOf(options.pace ?? 'burst', 'pace', ['burst', 'even'] as const) === 'even',
      ...concurrency,
    },
  };
}

/**
 * Reads the options that clients of every kind have.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function commonSettings({
  retry = {},
  breaker,
  maxWait,
  random = randomFraction,
}: CommonOptions): CommonSettings {
  checkFunction(random, 'random');
  return {
    retry: retry === false ? undefined : retryPolicy(retry),
    breaker: { ...breakerSettings(breaker), random },
    maxWaitMs: durationMs(maxWait ?? DEFAULT_WAIT, 'maxWait', 0),
    random,
  };
}

/** What to write instead of options that clients of other libraries have for their retries. */
const RETRY_INSTEAD = [
  ['attempts', 'limit retries maxRetries', 'use attempts, which is one more: it counts the first time'],
  ['base', 'minTimeout'],
  ['base', 'backoffLimit', 'leave it out, because maxWait of the client bounds all waits of a call'],
] as const;

function retryPolicy(options: RetryOptions): RetryPolicy {
  checkOptions(options, ['attempts', 'methods', 'budget', 'base'], 'retry', { instead: RETRY_INSTEAD });
  const { attempts = 3, methods = IDEMPOTENT, budget = 0.1, base = '100ms' } = options;
  if (!Array.isArray(methods) || !methods.every((method) => typeof method === 'string'))
    throw optionError('retry.methods', "must be a list of methods, like ['GET', 'PUT']", methods);
  if (typeof budget !== 'number' || !(budget > 0 && budget <= 1))
    throw optionError(
      'retry.budget',
      'must be a number above 0, up to 1; to retry nothing, set retry to false',
      budget,
    );
  return {
    attempts: checkWhole(attempts, 'retry.attempts', 1, MOST_ATTEMPTS),
    methods: new Set(methods.map((method) => method.toUpperCase())),
    budget,
    baseMs: durationMs(base, 'retry.base'),
  };
}

function ownLimit(limit: unknown): Limit {
  if (typeof limit === 'object') return checkLimit(limit, 'limit');
  throw optionError(
    'limit',
    "must be 'learn', or a Limit, as slidingWindow() or another constructor returns it",
    limit,
  );
}

function checkStore(store: Store): Store {
  if (typeof store?.consume === 'function' && store.clock) return store;
  throw optionError('store', 'must be a store, like new MemoryStore()', store);
}

/** Random numbers are few here: one for a retry or a block. */
function randomFraction(): number {
  const steps = 2 ** 32;
  return randomInt(steps) / steps;
}
