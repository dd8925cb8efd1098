import { Fleet } from '../../src/fleet/fleet.js';
import type { Bundle } from '../../src/process/bundle.js';
import type { CallStep, FaultStep, Tape } from '../../src/tape/tape.js';
import { Chance, type ChanceSource } from '../../src/world/chance.js';

/** What a Redis takes for a command beside those of others: `bench -- fleet` measures 60 to 78 µs for a decision. */
const COMMAND_MS = 0.07;

/** When the server goes away. The instances have decided for a while by then. */
const AWAY_AT_MS = 1500;

/** How long is looked for the first decision after the return. */
const LOOKED_MS = 1500;

/** How often an instance is asked. */
const EVERY_MS = 500;

/** What becomes of a server. */
export type Away = 'freezes' | 'restarts without its data';

/** What a fleet of so many instances asks, and when its Redis is away. */
interface Outage {
  readonly tape: Tape;
  readonly backAtMs: number;
}

/**
 * Plays a fleet whose Redis is away for some seconds. Returns how long after the return each instance decided by Redis first; infinity for
 * one that did not. The model does not watch: its invariant `recovery` allows more, and it takes long for so many processes.
 */
export async function playWayBack(
  bundle: Bundle,
  instances: number,
  away: Away,
  seed: number,
): Promise<readonly number[]> {
  const { tape, backAtMs } = outageOf(instances, away, seed);
  const backMs = new Array<number>(instances).fill(Number.POSITIVE_INFINITY);
  const processes = new Map<number, number>();
  const decided = (process: number, atMs: number): void => {
    if (atMs >= backAtMs) backMs[process] = Math.min(backMs[process] as number, atMs - backAtMs);
  };
  const fleet = new Fleet(tape, [bundle], (seen) => {
    if (seen.kind === 'call') processes.set(seen.call, seen.process);
    // A probe is a decision, too, and the requests after it are decided by Redis.
    if (seen.kind === 'event' && (seen.detail as { readonly state: string }).state === 'closed')
      decided(seen.process, seen.atMs);
    if (seen.kind === 'answer' && 'decision' in seen.outcome && seen.outcome.decision.source === 'store')
      decided(processes.get(seen.call) as number, seen.atMs);
  });
  await fleet.play((error) => {
    throw error;
  });
  return backMs;
}

function outageOf(instances: number, away: Away, seed: number): Outage {
  const draws = new Chance(seed).source('way back');
  const forMs = Math.round(500 + 2500 * draws.next());
  const backAtMs = AWAY_AT_MS + forMs;
  const lastsMs = backAtMs + LOOKED_MS;
  const fault: FaultStep =
    away === 'freezes'
      ? { atMs: AWAY_AT_MS, fault: 'freeze', server: 0, forMs }
      : { atMs: AWAY_AT_MS, fault: 'restart', server: 0, forMs, keeps: 'nothing' };
  const steps = [fault, ...callsOf(instances, draws, lastsMs)].sort((one, other) => one.atMs - other.atMs);
  return { backAtMs, tape: { version: 1, chance: seed, setup: setupOf(instances, lastsMs), steps } };
}

/** Each instance is asked again and again, from a moment of its own on. */
function callsOf(instances: number, draws: ChanceSource, lastsMs: number): readonly CallStep[] {
  const calls: CallStep[] = [];
  for (let process = 0; process < instances; process += 1) {
    const consume = { call: 'consume', process, policy: 0, subject: process % 50, cost: 1 } as const;
    const firstMs = 100 + EVERY_MS * draws.next();
    for (let atMs = firstMs; atMs < lastsMs; atMs += EVERY_MS) calls.push({ ...consume, atMs });
  }
  return calls;
}

function setupOf(instances: number, lastsMs: number): Tape['setup'] {
  const limit = { algorithm: 'sliding-window', limit: 1_000_000, windowMs: 60_000 } as const;
  return {
    processes: Array.from({ length: instances }, () => ({ clockAheadMs: 0 })),
    servers: [{ kind: 'redis', clockAheadMs: 0, commandMs: COMMAND_MS }],
    store: { kind: 'redis', server: 0, timeoutMs: 50, instances },
    policies: [{ name: 'api', onStoreError: 'local', variants: [[{ name: 'window', limit, by: 'subject' }]] }],
    network: { delayMs: [0.2, 1], slow: 0.001, slowMs: 20, breaks: 0, twice: 0 },
    lastsMs,
  };
}
