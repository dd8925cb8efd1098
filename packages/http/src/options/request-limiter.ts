import type { Reservation } from '@sluice/core/src/limiter/reservation';
import type { Clock } from '@sluice/core/src/values/clock';
import type { Decision } from '@sluice/core/src/values/decision';
import { optionError } from '@sluice/core/src/values/error';
import type { Eventual } from '@sluice/core/src/values/eventual';
import type { Key } from '@sluice/core/src/values/key';
import type { HttpRequest } from '../node/request.js';

/** A request that somebody else decides about, with what only this application knows of it. */
export interface RequestCall {
  /** What is decided about. */
  readonly request: HttpRequest;
  /** The values of keys that the policy takes from code, by their names. */
  readonly keys?: Readonly<Record<string, Key>>;
  /** The tier, if the policy takes it from code. */
  readonly tier?: string;
  /** Replaces the cost of the policy: a safe integer of at least 0. */
  readonly cost?: number;
}

/**
 * Decides about requests by itself. Its methods reject with an error that has a `refusal`, like `HttpRefusal`, if a request is
 * refused before any limit is asked.
 */
export interface RequestDecisions {
  /** The clock of the decisions. Dates in header fields follow it. */
  readonly clock: Clock;
  /** The decision about a request that no limit is asked about. */
  readonly uncounted: Reservation;
  /** Returns the decision that a request would get, without spending anything. */
  peek(call: RequestCall): Eventual<Decision>;
  /** Decides and spends. */
  consume(call: RequestCall): Eventual<Decision>;
  /** Decides and spends. Returns undefined if no limit is asked about the request, so that it simply passes. */
  reserve(call: RequestCall): Eventual<Reservation | undefined>;
}

/**
 * The property by which a limiter says that it decides about HTTP requests by itself, as `decisions()` of
 * `@sluice/client/decisions` does: it has the limits, the keys and the counters, and `rateLimit(limiter)` does the rest. The symbol is
 * the same for all copies of this package in a process.
 */
export const REQUEST_LIMITER: unique symbol = Symbol.for('sluice.request-limiter') as never;

/** A limiter that decides about HTTP requests by itself. */
export interface RequestLimiter {
  /** The name of the policy. */
  readonly name: string;
  /** Decides about requests. */
  readonly [REQUEST_LIMITER]: RequestDecisions;
}

/** Whether a value decides about HTTP requests by itself. */
export function isRequestLimiter(value: unknown): value is RequestLimiter {
  return typeof value === 'object' && value !== null && REQUEST_LIMITER in value;
}

/**
 * Checks the option `limiter`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkRequestLimiter(value: unknown): void {
  if (isRequestLimiter(value)) return;
  const rule =
    'must decide about requests by itself, like decisions() of @sluice/client: give other policies their own options';
  throw optionError('limiter', rule, value);
}
