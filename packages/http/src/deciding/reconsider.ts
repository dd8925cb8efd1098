// Why it is so: core/docs/why/fields-and-refusals.md

import type { Decision } from '@sluice/core/src/values/decision';
import { type Eventual, whenReady } from '@sluice/core/src/values/eventual';
import type { RequestOptions } from '../options/options.js';
import type { HttpGrantedReservation } from '../request/http-reservation.js';

type Args = readonly unknown[];

/** A function that never stops to ask again would occupy the store for ever. */
const MOST_ROUNDS = 16;

/** Whether a limit has refused the request, and not the failure of a store. */
export function isRefusedByLimit({ allowed, source }: Decision): boolean {
  return !allowed && source !== 'deny';
}

/** Decides about a request in another round; undefined if it is not counted. */
type Reserve = (round: number) => Eventual<HttpGrantedReservation | undefined>;

/**
 * Decides about a refused request again, as long as the policy's `reconsider` says so. Returns the last decision;
 * undefined if the policy now skips the request. Refused decisions have charged nothing, so only the last one counts.
 */
export function reconsidered<A extends Args>(
  reconsider: NonNullable<RequestOptions<A>['reconsider']>,
  reserve: Reserve,
  args: A,
  refused: HttpGrantedReservation,
  round = 1,
): Eventual<HttpGrantedReservation | undefined> {
  if (round > MOST_ROUNDS) return refused;
  return whenReady(reconsider(...args, refused), (isAgain) => {
    if (!isAgain) return refused;
    return whenReady(reserve(round), (next) =>
      next && isRefusedByLimit(next) ? reconsidered(reconsider, reserve, args, next, round + 1) : next,
    );
  });
}
