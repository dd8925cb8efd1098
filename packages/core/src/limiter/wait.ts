import type { Store } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import { usesSlots } from '../values/limit.js';
import { decide, delaysRetry, longer } from './decision-builder.js';
import type { Engine } from './engine.js';
import { leaseRenewerOf } from './lease-renewer.js';
import type { Args } from './policy/options.js';
import type { GrantedReservation } from './reservation.js';

/** If another process frees a slot, this process is not told. So a wait asks again after this time at the latest. */
const SLOT_RETRY_MS = 1000;

interface WaitOptions {
  readonly cost?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Absent: no maximum. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * Tries to reserve until it succeeds. Between tries it sleeps as long as the refusal says, or until a slot is freed.
 * Then it sleeps through the delay of a leaky bucket.
 *
 * If the wait would be longer than `maxWaitMs`, or would never end, it resolves with the refused reservation. If
 * `signal` aborts, it gives back what was charged, and rejects.
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

/** Sleeps until the turn of the reservation. If the turn would come too late, the reservation is given back. */
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
 * Sleeps until another try makes sense, and returns true. Returns false at once if that would be too late. `releases`
 * is the number from before the refusal.
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

/**
 * Returns the wait until no limit refuses. Concurrency limits are left out, because nobody knows when they have room.
 */
function certainRetryMs({ verdicts }: Decision): number | 'never' {
  const waits = verdicts
    .filter(delaysRetry)
    .map(({ limit, retryAfterMs }) => (usesSlots(limit) && retryAfterMs !== 'never' ? 0 : retryAfterMs));
  return waits.reduce(longer, 0);
}

/**
 * Reserves if the turn would come in time. A leaky bucket gives nothing back, so the request peeks first. With a
 * synchronous store nothing happens between the two steps. With another store, other requests may come between.
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

/** Returns the same decision as a refusal until the delay is short enough. */
function tooLate(decision: Decision, leftMs: number): Decision {
  const refuse = (verdict: Verdict): Verdict =>
    !verdict.shadow && verdict.delayMs > leftMs
      ? { ...verdict, allowed: false, retryAfterMs: verdict.delayMs - leftMs, delayMs: 0 }
      : verdict;
  return decide(decision.policy, decision.verdicts.map(refuse), decision.source);
}
