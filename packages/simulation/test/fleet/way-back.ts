import { Fleet } from '../../src/fleet/fleet.js';
import type { Bundle } from '../../src/process/bundle.js';
import type { CallStep, FaultStep, Tape } from '../../src/tape/tape.js';
import { Chance } from '../../src/world/chance.js';

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
  const draws = new Chance(seed).source('way back');
  const forMs = Math.round(500 + 2500 * draws.next());
  const backAtMs = AWAY_AT_MS + forMs;
  const fault: FaultStep =
    away === 'freezes'
      ? { atMs: AWAY_AT_MS, fault: 'freeze', server: 0, forMs }
      : { atMs: AWAY_AT_MS, fault: 'restart', server: 0, forMs, keeps: 'nothing' };
  const calls: CallStep[] = [];
  for (let process = 0; process < instances; process += 1) {
    const consume = { call: 'consume', process, policy: 0, subject: process % 50, cost: 1 } as const;
    const firstMs = 100 + EVERY_MS * draws.next();
    for (let atMs = firstMs; atMs < backAtMs + LOOKED_MS; atMs += EVERY_MS) calls.push({ ...consume, atMs });
  }
  const tape: Tape = {
    version: 1,
    chance: seed,
    setup: {
      processes: Array.from({ length: instances }, () => ({ clockAheadMs: 0 })),
      servers: [{ kind: 'redis', clockAheadMs: 0, commandMs: COMMAND_MS }],
      store: { kind: 'redis', server: 0, timeoutMs: 50, instances },
      policies: [
        {
          name: 'api',
          onStoreError: 'local',
          variants: [
            [
              {
                name: 'window',
                limit: { algorithm: 'sliding-window', limit: 1_000_000, windowMs: 60_000 },
                by: 'subject',
              },
            ],
          ],
        },
      ],
      network: { delayMs: [0.2, 1], slow: 0.001, slowMs: 20, breaks: 0, twice: 0 },
      lastsMs: backAtMs + LOOKED_MS,
    },
    steps: [fault, ...calls].sort((one, other) => one.atMs - other.atMs),
  };
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
