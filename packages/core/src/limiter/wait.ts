import type { Decision } from '../decision.js';
import type { Engine } from './engine.js';
import type { GrantedReservation } from './reservation.js';

type Args = readonly unknown[];

interface WaitOptions {
  readonly cost?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Absent: as long as it takes. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * Reserves, coming back whenever the answer says so, and sleeps through the delay of a leaky bucket. Resolves with the refused
 * reservation when the wait would be longer than `maxWaitMs`, or for ever. Rejects when `signal` aborts, having given back what was granted.
 */
export async function waitFor<A extends Args>(
  engine: Engine<A>,
  args: A,
  { cost, signal, maxWaitMs }: WaitOptions,
): Promise<GrantedReservation> {
  const { clock } = engine.store;
  const startMs = clock.now();
  const leftMs = (): number => (maxWaitMs === undefined ? Number.POSITIVE_INFINITY : startMs + maxWaitMs - clock.now());
  for (;;) {
    signal?.throwIfAborted();
    if (maxWaitMs !== undefined) {
      // A place in a queue cannot be given back, so it is not taken when the turn would come too late.
      const { allowed, delayMs, ...look } = await engine.peek(args, cost);
      if (allowed && delayMs > leftMs())
        return engine.empty(tooLate({ allowed, delayMs, ...look }, delayMs - leftMs()));
    }
    const reservation = (await engine.reserve(args, cost)) ?? engine.empty(engine.skipped());
    if (reservation.allowed) {
      await sleepOrCancel(reservation, () => clock.sleep(reservation.delayMs, signal), signal);
      return reservation;
    }
    const { retryAfterMs } = reservation;
    if (retryAfterMs === 'never' || retryAfterMs > leftMs()) return reservation;
    await clock.sleep(retryAfterMs, signal);
  }
}

async function sleepOrCancel(
  reservation: GrantedReservation,
  sleep: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    if (reservation.delayMs > 0) await sleep();
    else signal?.throwIfAborted();
  } catch (reason) {
    await reservation.cancel();
    throw reason;
  }
}

/** The same answer, as a refusal until the delay is short enough. */
function tooLate(decision: Decision, retryAfterMs: number): Decision {
  const refuse = <V extends { delayMs: number }>(verdict: V): V =>
    verdict.delayMs === decision.delayMs ? { ...verdict, allowed: false, retryAfterMs, delayMs: 0 } : verdict;
  const verdicts = decision.verdicts.map(refuse);
  return {
    ...decision,
    verdicts,
    tightest: verdicts.find(({ allowed }) => !allowed) ?? decision.tightest,
    allowed: false,
    retryAfterMs,
    delayMs: 0,
  };
}
