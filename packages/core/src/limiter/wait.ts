import type { Store } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import { usesSlots } from '../values/limit.js';
import { decide, delaysRetry, longer } from './decision-builder.js';
import type { Engine } from './engine.js';
import { leaseRenewerOf } from './lease-renewer.js';
import type { Args } from './policy/options.js';
import type { GrantedReservation } from './reservation.js';

/** A slot that another process frees is not announced here, so a wait asks again after this at the latest. */
const SLOT_RETRY_MS = 1000;

interface WaitOptions {
  readonly cost?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Absent: as long as it takes. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * Reserves, coming back when the answer says so, or for a slot when one is freed, and sleeps through the delay of a
 * leaky bucket. Resolves with the refused reservation when the wait would be longer than `maxWaitMs`, or for ever.
 * Rejects when `signal` aborts, having given back what was charged.
 */
export async function waitFor<A extends Args>(
  engine: Engine<A>,
  args: A,
  { cost, signal, maxWaitMs }: WaitOptions,
): Promise<GrantedReservation> {
  const { clock } = engine.store;
  const startMs = clock.now();
  const leftMs = (): number =>
    maxWaitMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, startMs + maxWaitMs - clock.now());
  for (;;) {
    signal?.throwIfAborted();
    const { releases } = leaseRenewerOf(engine.store);
    const reservation = await reserveInTime(engine, args, cost, leftMs());
    if (signal?.aborted) {
      await reservation.cancel();
      throw signal.reason;
    }
    if (reservation.allowed) return takeTurn(engine, reservation, leftMs, signal);
    if (!(await roomAgain(engine.store, reservation, releases, leftMs(), signal))) return reservation;
  }
}

/** Sleeps until the reservation's turn; a turn that would come too late is given back. */
async function takeTurn<A extends Args>(
  engine: Engine<A>,
  reservation: GrantedReservation,
  leftMs: () => number,
  signal: AbortSignal | undefined,
): Promise<GrantedReservation> {
  if (reservation.delayMs > leftMs()) {
    await reservation.cancel();
    return engine.empty(tooLate(reservation, leftMs()));
  }
  if (reservation.delayMs > 0)
    await sleepOrCancel(reservation, () => engine.store.clock.sleep(reservation.delayMs, signal));
  return reservation;
}

/**
 * Sleeps until it is worth asking again, and says true; false at once when that is not in time. `releases` are those of
 * before the refusal.
 */
async function roomAgain(
  store: Store,
  refused: Decision,
  releases: number,
  leftMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const retryAfterMs = certainRetryMs(refused);
  if (retryAfterMs === 'never' || retryAfterMs > leftMs || leftMs === 0) return false;
  if (retryAfterMs > 0) await store.clock.sleep(retryAfterMs, signal);
  else await leaseRenewerOf(store).released(releases, Math.min(SLOT_RETRY_MS, leftMs), signal);
  return true;
}

/** Until no limit refuses but those of concurrency: when these will have room, no clock knows. */
function certainRetryMs({ verdicts }: Decision): number | 'never' {
  const waits = verdicts
    .filter(delaysRetry)
    .map(({ limit, retryAfterMs }) => (usesSlots(limit) && retryAfterMs !== 'never' ? 0 : retryAfterMs));
  return waits.reduce(longer, 0);
}

/**
 * A leaky bucket takes no place back, so a request whose turn would come too late only peeks. Over a store that answers
 * at once, nothing happens between the peek and the reservation. Over another, other requests may come between.
 */
function reserveInTime<A extends Args>(
  engine: Engine<A>,
  args: A,
  cost: number | undefined,
  leftMs: number,
): Eventual<GrantedReservation> {
  const reserve = (): Eventual<GrantedReservation> =>
    whenReady(engine.reserve(args, cost), (reservation) => reservation ?? engine.empty(engine.skipped()));
  if (leftMs === Number.POSITIVE_INFINITY) return reserve();
  return whenReady(engine.peek(args, cost), (peeked) =>
    peeked.allowed && peeked.delayMs > leftMs ? engine.empty(peeked) : reserve(),
  );
}

async function sleepOrCancel(reservation: GrantedReservation, sleep: () => Promise<void>): Promise<void> {
  try {
    await sleep();
  } catch (reason) {
    await reservation.cancel();
    throw reason;
  }
}

/** The same answer, as a refusal until the delay is short enough. */
function tooLate(decision: Decision, leftMs: number): Decision {
  const refuse = (verdict: Verdict): Verdict =>
    !verdict.shadow && verdict.delayMs > leftMs
      ? { ...verdict, allowed: false, retryAfterMs: verdict.delayMs - leftMs, delayMs: 0 }
      : verdict;
  return decide(decision.policy, decision.verdicts.map(refuse), decision.source);
}
