import { createLimiter, createLoadSignal, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { type Ask, consuming, type Turn } from './asking.js';
import { codeOf } from './code.js';
import type { Mode } from './modes.js';
import { type Arrival, type Client, TRAFFIC, TRAFFIC_MS } from './traffic.js';

/**
 * What became of a request. `'beyond'` means that it was handled at once although the limit has no room for it: by a tolerance, an
 * elastic part, or because the limit is not enforced.
 */
export type Fate = 'at once' | 'late' | 'beyond' | 'refused';

/** A request that was decided. */
export interface Outcome {
  readonly client: Client;
  readonly arrivedMs: number;
  /** When it was handled or refused. */
  readonly endedMs: number;
  readonly fate: Fate;
  /** The row of the picture that shows it. */
  readonly row: string;
}

/** The traffic, as a mode treated it. */
export interface Simulation {
  /** The options of the limiter, as code. */
  readonly code: string;
  readonly outcomes: readonly Outcome[];
}

/** All requests arrive at multiples of this step of the clock. */
const STEP_MS = 10;

/** Sends the traffic through a limiter of this mode, by a clock that is moved by hand. */
export async function simulate(mode: Mode): Promise<Simulation> {
  const clock = new ManualClock();
  const startMs = clock.now();
  const nowMs = (): number => clock.now() - startMs;
  const { fromMs, toMs } = mode.busy ?? { fromMs: Number.POSITIVE_INFINITY, toMs: 0 };
  const load = (): number => (nowMs() >= fromMs && nowMs() < toMs ? 1 : 0);
  const calm = createLoadSignal(load, { enter: 1, leave: 0, atLeast: 0, clock });
  const options = mode.options(calm);
  const keyGenerator = mode.keyOf ?? (() => 'everyone');
  const limiter = createLimiter({ ...options, keyGenerator, store: new MemoryStore({ clock }) });
  const ask = (mode.asking ?? consuming)(limiter, clock);

  const turns: Promise<Outcome>[] = [];
  const coming = [...TRAFFIC];
  while (nowMs() < TRAFFIC_MS) {
    for (; coming[0] && coming[0].atMs <= nowMs(); coming.shift()) turns.push(outcomeOf(mode, ask, coming[0]));
    // Everything that is due at this time ends before the next one.
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(STEP_MS);
  }
  calm.close();
  return { code: codeOf(options), outcomes: await Promise.all(turns) };
}

async function outcomeOf(mode: Mode, ask: Ask, arrival: Arrival): Promise<Outcome> {
  const turn = await ask(arrival);
  return {
    client: arrival.client,
    arrivedMs: arrival.atMs,
    endedMs: arrival.atMs + turn.waitMs,
    fate: fateOf(turn),
    row: mode.rowOf?.(arrival, turn.decision) ?? '',
  };
}

function fateOf({ decision, waitMs }: Turn): Fate {
  if (!decision?.allowed) return 'refused';
  if (decision.shadowed || decision.tightest.overQuota) return 'beyond';
  return waitMs > 0 ? 'late' : 'at once';
}
