// Why it is so: core/docs/why/load-shedding.md

import type { LoadSignal } from '@sluice/core/src/limiter/policy/margin';
import type { Duration } from '@sluice/core/src/values/duration';
import type { Priority } from '@sluice/core/src/values/priority';
import type { EventLoop } from './event-loop.js';
import type { TenantOptions } from './fair-shares.js';

/** Admits requests while this process keeps up, and otherwise refuses the least important first. */
export interface Shedder {
  /** The name in events and metrics. */
  readonly name: string;
  /**
   * Asks for a request that has just been read. Returns its permit; undefined if the request is to be refused. Call a
   * method of the permit when the request has ended, or the request counts as being in flight for ever.
   *
   * @param priority - default: `'normal'`
   * @param origin - whose request it is, and where it goes. Default: it shares everything with all others
   */
  admit(priority?: Priority, origin?: RequestOrigin): Permit | undefined;
  /**
   * Returns a permit for a request that must not be refused, like a health check. It counts in flight, and gives no sample.
   */
  exempt(): Permit;
  /** How busy this process is: one object, which always tells the present. */
  readonly state: LoadState;
  /** Calm while nothing is refused and nothing has to be: for `elastic` limits. */
  readonly calm: LoadSignal;
}

/** Whose request it is, and where it goes. */
export interface RequestOrigin {
  /**
   * Whose request it is. While there is not enough for all, requests of a tenant that has its part already are refused before those of
   * tenants that have less. Choose names that clients cannot make up.
   */
  readonly tenant?: string | undefined;
  /**
   * The group of requests that have a limit in flight of their own, such as those that wait for the same service. A shedder has at most 100
   * of them; all further ones share one limit.
   */
  readonly bulkhead?: string | undefined;
}

/** An admitted request. Of several calls only the first one counts. */
export interface Permit {
  /** The request has been answered. How long it took is a sample for the limit of requests in flight. */
  done(): void;
  /** The request has ended, but how long it took says nothing about the load: a stream, or a client that left. */
  drop(): void;
  /**
   * From now on the request takes no place under the limit, and its time is no sample: it waits for its turn behind a limit,
   * or its response has become a stream. It still counts in `state.inFlight`.
   */
  pause(): void;
  /** The request takes a place again, which is never refused, and its sample begins now. */
  resume(): void;
}

/** How busy this process is. */
export interface LoadState {
  /** Whether requests of some class are refused because of the event loop. */
  readonly isShedding: boolean;
  /** The most important class of which requests are refused because of the event loop; undefined while it is calm. */
  readonly border: Priority | undefined;
  /** The longest time, in milliseconds, that the request which is read now can have waited for the event loop. */
  readonly ageMs: number;
  /**
   * How many requests may be in flight, of which classes leave their headroom; Infinity without a limit. With bulkheads, it is the sum of
   * their limits, and of that of requests without a bulkhead if there are any.
   */
  readonly limit: number;
  /** How many requests are in flight. */
  readonly inFlight: number;
}

/** The options of `createShedder`. Without any, it sheds by the event loop and by the requests in flight. */
export interface ShedderOptions {
  /** The name in events and metrics: 1 to 128 printable ASCII characters. Default: `'load'`. */
  name?: string;
  /** How the age of the event loop is used; false if it is not. */
  loop?: false | LoopOptions;
  /** How requests in flight are limited; false if they are not. `loop` and `inFlight` cannot both be false. */
  inFlight?: false | InFlightOptions;
  /**
   * The part of the limit in flight, from 0 to 1, that a class leaves free for more important ones. Critical requests leave
   * nothing, and may pass the limit by half of it. It cannot be set with `inFlight: false`.
   */
  headroom?: {
    /** Default: 0.1. */
    normal?: number;
    /** At least `normal`. Default: 0.25, or `normal` if that is larger. */
    low?: number;
  };
  /** How tenants share what there is. It matters once a request has a tenant. */
  tenants?: TenantOptions;
  /** The event loop. Default: that of this process. */
  eventLoop?: EventLoop;
}

/** How the age of the event loop is used: the longest time that a request can have waited unread. */
export interface LoopOptions {
  /**
   * The age of the event loop that is still good: 1 ms to 10 s. The loop is overloaded once everything waits for five times as
   * long, or for 100 ms if that is less, but at least for twice as long. Then ages are brought back to the target. Default: 20 ms, or
   * four times the processor time of a request if that is longer.
   */
  target?: Duration;
}

/** How the limit of requests in flight is found. */
export interface InFlightOptions {
  /**
   * How the limit is found. Default: `'knee'`.
   *
   * - `'knee'`: choose it if you know nothing. It stays where more requests would only wait longer.
   * - `'vegas'`: the latency without load stays the same for minutes.
   * - `'gradient2'`: the latency changes slowly, and a limit that is too high for a minute does no harm.
   * - `'aimd'`: you know from which duration on a request means overload: the `timeout`.
   */
  algorithm?: 'knee' | 'vegas' | 'gradient2' | 'aimd';
  /** The limit at the start: 1 to 1,000,000. Default: 20, or `max` if that is less. */
  initial?: number;
  /** The largest limit: from `initial` to 1,000,000. Default: 1,000, or `initial` if that is larger. */
  max?: number;
  /** Only for `'aimd'`: a request that takes longer means overload: 1 ms to 100 years. Default: 5 s. */
  timeout?: Duration;
}
