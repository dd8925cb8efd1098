// Why it is so: core/docs/why/ends-of-requests.md

import { type Eventual, isPromise, recover, whenReady } from '@sluice/core/src/values/eventual';
import { warnOfHook } from '@sluice/core/src/values/warning';
import type { Outcome } from '../node/response-end.js';
import type { CountedEnforcement } from './enforcement.js';

type Args = readonly unknown[];

/**
 * Frees the slots of a request that has ended, and gives its charge back if the options say so. Nobody can handle an
 * error now, so the process gets a warning. In any case the slot is freed; after an error the charge stays.
 */
export async function finishRequest<A extends Args>(
  enforcement: CountedEnforcement<A>,
  outcome: Outcome,
): Promise<void> {
  const { compiled, reservation, policies } = enforcement;
  // The client left before its turn, so the request was never handled.
  if (policies.isWaiting) return ignoringErrors(() => reservation.cancel());
  if (reservation.keepsSlots) return;
  const isFree = recover(
    () => isGivenBack(enforcement, outcome),
    (error) => {
      warnOfHook(compiled.options, 'requestWasSuccessful', 'after the response, so the charge stays', error);
      return false;
    },
  );
  const ended = reservation.holdsSlot ? policies.work.ended(outcome.aborted) : undefined;
  if (ended === undefined && !isPromise(isFree))
    return ignoringErrors(() => (isFree ? reservation.cancel() : reservation.release()));
  // The two are independent: units are given back while the handler continues, and slots are freed while a hook runs.
  await Promise.all([
    ignoringErrors(() => whenReady(isFree, (free) => (free ? reservation.cancelUnits() : undefined))),
    ended ? releaseAfter(enforcement, ended) : ignoringErrors(() => reservation.release()),
  ]);
}

/** Keeps the slots until the work has ended, but after the response at most as long as a lease. */
async function releaseAfter<A extends Args>(
  { compiled, reservation }: CountedEnforcement<A>,
  ended: Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const lapsed = async (): Promise<void> => compiled.clock.sleep(reservation.leaseMs as number, over.signal);
  await Promise.race([ended, lapsed().catch(() => {})]);
  over.abort();
  await ignoringErrors(() => reservation.release());
}

function isGivenBack<A extends Args>(
  { compiled, reservation, args }: CountedEnforcement<A>,
  { status, aborted, broken }: Outcome,
): Eventual<boolean> {
  const { skipFailedRequests = false, skipSuccessfulRequests = false, requestWasSuccessful } = compiled.options;
  if (!skipFailedRequests && !skipSuccessfulRequests) return false;
  // The handler settles it itself; or the client has left, so that it is neither a success nor a failure.
  if (reservation.isDeferred || aborted) return false;
  const isSuccessful = broken ? false : (requestWasSuccessful?.(...args) ?? status < 400);
  return whenReady(isSuccessful, (successful) => (successful ? skipSuccessfulRequests : skipFailedRequests));
}

/** If the store was closed meanwhile, there is nothing left to correct. */
async function ignoringErrors(attempt: () => Eventual<void>): Promise<void> {
  try {
    await attempt();
  } catch {}
}
