import { type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import type { DecidedRequest } from './enforcement.js';
import type { Outcome } from './node/response-end.js';
import { warnOfHook } from './warnings.js';

type Args = readonly unknown[];

/**
 * Frees the slots of a request that has ended, and gives its charge back if the policy's options say so. Nobody is left to
 * hear of a failure but the process. So a slot is freed in any case, and the charge stays.
 */
export async function finishRequest<A extends Args>(decided: DecidedRequest<A>, outcome: Outcome): Promise<void> {
  const { rules, reservation, chain } = decided;
  // A client that left before its turn has had nothing.
  if (chain.isWaiting) return ignoringErrors(() => reservation.cancel());
  const isFree = recover(
    () => isGivenBack(decided, outcome),
    (error) => {
      warnOfHook(rules.options, 'requestWasSuccessful', 'after the response, so the charge stays', error);
      return false;
    },
  );
  const ended = reservation.holdsSlot ? chain.work.ended(outcome.aborted) : undefined;
  if (ended === undefined && !isPromise(isFree))
    return ignoringErrors(() => (isFree ? reservation.cancel() : reservation.release()));
  // Neither waits for the other: units are given back though the handler goes on, and slots are freed though a hook does.
  await Promise.all([
    ignoringErrors(() => whenReady(isFree, (free) => (free ? reservation.cancelUnits() : undefined))),
    ended ? releaseAfter(decided, ended) : ignoringErrors(() => reservation.release()),
  ]);
}

/** Keeps the slots until the work has ended, but after the response no longer than a slot outlives a holder that died. */
async function releaseAfter<A extends Args>(
  { rules, reservation }: DecidedRequest<A>,
  ended: Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const lapsed = async (): Promise<void> => rules.engine.store.clock.sleep(reservation.leaseMs as number, over.signal);
  await Promise.race([ended, lapsed().catch(() => {})]);
  over.abort();
  await ignoringErrors(() => reservation.release());
}

function isGivenBack<A extends Args>(
  { rules, reservation, args }: DecidedRequest<A>,
  { status, aborted, broken }: Outcome,
): Eventual<boolean> {
  const { skipFailedRequests = false, skipSuccessfulRequests = false, requestWasSuccessful } = rules.options;
  if (!skipFailedRequests && !skipSuccessfulRequests) return false;
  // The handler sees to it; or what it did for a client that left can be called neither a success nor a failure.
  if (reservation.isDeferred || aborted) return false;
  const isSuccessful = broken ? false : (requestWasSuccessful?.(...args) ?? status < 400);
  return whenReady(isSuccessful, (successful) => (successful ? skipSuccessfulRequests : skipFailedRequests));
}

/** A store that was closed meanwhile has nothing left to correct. */
async function ignoringErrors(attempt: () => Eventual<void>): Promise<void> {
  try {
    await attempt();
  } catch {}
}
