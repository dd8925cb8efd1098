import { optionError } from '@sluice/core/src/values/error';
import { checkFunction, checkOneOf, checkOptions } from '@sluice/core/src/values/option-checks';
import { PRIORITIES, type Priority } from '@sluice/core/src/values/priority';
import type { AddressList } from '@sluice/http/keys/address-list';
import type { Shedder, ShedderOptions } from '../shedder.js';

type Args = readonly unknown[];

/**
 * The options of `shedLoad`. Every callback gets the arguments of the framework. Callbacks must return at once, because
 * refusing has to be the cheapest thing that a busy process does: a promise is an error.
 *
 * A callback that fails, or that returns a promise, gives one process warning, `SLUICE_HOOK_FAILED`. The request counts
 * as normal then, and is not skipped.
 */
export interface ShedLoadOptions<A extends Args> extends Omit<ShedderOptions, 'eventLoop'> {
  /**
   * A shedder that you have made, for several applications of one process. Then set no `name`, `loop`, `inFlight`, `headroom` and
   * `tenants` here.
   */
  shedder?: Shedder;
  /** How important the request is. Requests are refused in the order low, normal, critical. Default: `'normal'`. */
  priority?: Priority | ((...args: A) => Priority | undefined);
  /**
   * Whose `Sluice-Priority` field (`critical`, `normal` or `low`) is believed: addresses and subnets of the direct peer,
   * as in an `allowList`, or a function. A field that is believed decides before `priority`. Of others, the field is
   * ignored, and so is that of a request which a proxy has passed on: see `trustForwardedPriority`. Default: nobody's.
   */
  trustPriority?: readonly string[] | AddressList | ((...args: A) => boolean);
  /**
   * Whether the `Sluice-Priority` field of a request with `X-Forwarded-For` or `Forwarded` can be believed. Such a request has
   * come through a proxy, whose address says nothing about who has written the field. Set it to true if your proxies remove the
   * field from what comes from outside. It needs `trustPriority`. Default: false.
   */
  trustForwardedPriority?: boolean;
  /**
   * Whose request it is: an account, or a customer, whom you know for sure. While there is not enough for everybody, each tenant gets its
   * part: requests of a tenant that has its part already are refused before those of tenants that have less. All requests for which it
   * returns undefined share one part. `tenants` has the weights. Default: no tenants are told apart.
   */
  tenant?: (...args: A) => string | undefined;
  /**
   * Which limit in flight counts the request: requests that wait for the same service return the same name, so that a slow one fills its
   * own limit and no other. At most 100 names have limits of their own. Requests for which it returns undefined share one. Default: all
   * requests do.
   */
  bulkhead?: (...args: A) => string | undefined;
  /** Requests that are never refused. They count in flight. */
  skip?: (...args: A) => boolean;
  /**
   * Paths of health checks, which are never refused; false for none. The whole path of the URL has to be equal, without its query:
   * `/api/livez` if the application is mounted under `/api`. In Fastify, a route with this pattern in a scope with a prefix is a
   * health check, too. Default: `['/livez', '/readyz']`.
   */
  health?: readonly string[] | false;
  /**
   * Whether the response is a stream, which may last as long as it likes. It is asked once, when the header fields of the
   * response have gone out. From then on, a stream counts in `load.inFlight`, but takes no place under the limit, and its
   * duration says nothing about the load. Default: a response of the type `text/event-stream`. An upgraded connection is
   * always a stream.
   */
  isStream?: (...args: A) => boolean;
  /** Called when a request was refused, for a log. It changes nothing. */
  onShed?: (...args: A) => void;
  /** Returns numbers from 0 to below 1, for tests. It chooses the `Retry-After`. Default: 1 to 3 s in turn. */
  random?: () => number;
}

/** The options that a shedder has. */
const OPTIONS_OF_SHEDDER = ['name', 'loop', 'inFlight', 'headroom', 'tenants'] as const;

const OPTIONS = [
  ...OPTIONS_OF_SHEDDER,
  'shedder',
  'priority',
  'trustPriority',
  'trustForwardedPriority',
  'tenant',
  'bulkhead',
  'skip',
  'health',
  'isStream',
  'onShed',
  'random',
];

/**
 * Checks all options but those of the shedder, and the addresses of `trustPriority`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkShedLoadOptions<A extends Args>(options: ShedLoadOptions<A>): void {
  checkOptions(options, OPTIONS);
  for (const name of ['tenant', 'bulkhead', 'skip', 'isStream', 'onShed', 'random'] as const) {
    if (options[name] !== undefined) checkFunction(options[name], name);
  }
  const { priority, trustPriority, trustForwardedPriority, health, shedder } = options;
  if (priority !== undefined && typeof priority !== 'function') checkOneOf(priority, 'priority', PRIORITIES);
  if (trustForwardedPriority !== undefined) {
    checkOneOf(trustForwardedPriority, 'trustForwardedPriority', [true, false]);
    if (trustPriority === undefined)
      throw optionError('trustForwardedPriority', 'needs trustPriority', trustForwardedPriority);
  }
  const { tenant, tenants, bulkhead, inFlight } = options;
  if (tenants !== undefined && !tenant) throw optionError('tenants', 'needs the option tenant', tenants);
  if (bulkhead && inFlight === false)
    throw optionError('bulkhead', 'cannot be set with inFlight: false, which limits nothing', bulkhead);
  if (health !== undefined && health !== false) checkPaths(health);
  if (shedder !== undefined) checkShedder(shedder, options);
}

function checkPaths(health: unknown): void {
  if (!Array.isArray(health)) throw optionError('health', "must be an array of paths like '/livez', or false", health);
  for (let i = 0; i < health.length; i += 1) {
    const path: unknown = health[i];
    if (typeof path === 'string' && /^\/[^?#\s]*$/.test(path)) continue;
    throw optionError(`health[${i}]`, "must be a path without a query, like '/livez'", path);
  }
}

function checkShedder(shedder: Partial<Shedder>, options: Partial<ShedderOptions>): void {
  if (typeof shedder?.admit !== 'function' || typeof shedder.exempt !== 'function') {
    throw optionError('shedder', 'must be a shedder, like createShedder()', shedder);
  }
  for (const name of OPTIONS_OF_SHEDDER) {
    if (options[name] === undefined) continue;
    throw optionError(name, 'cannot be set beside shedder: set it where you make the shedder', options[name]);
  }
}
