import type { NetworkSetup, PolicySetup, ProcessSetup, ServerSetup, Setup } from '../../tape/tape.js';
import type { FaultSet } from '../fault-sets.js';
import type { Draws } from './draws.js';
import { LONGEST_MS, SHORTEST_MS } from './limits.js';
import { drawPolicies } from './policies.js';
import { drawStore } from './stores.js';

/** However long the windows are, a run ends after some hours. */
export const LONGEST_DRAWN_MS = 4 * LONGEST_MS;

/** In so many runs, what the limits do takes no longer than some messages, or than a store is waited for. */
const QUICK_PART = 0.35;
const QUICK_MS = 3000;

/** What may go wrong in a run, and of how many versions its code may be. */
export interface RunConditions {
  readonly faults: FaultSet;
  readonly codes: number;
}

/** Draws what there is before the first step. */
export function drawSetup(draws: Draws, conditions: RunConditions): Setup {
  const typicalMs = draws.scaled(SHORTEST_MS * 2, draws.happens(QUICK_PART) ? QUICK_MS : LONGEST_MS);
  const count = draws.weighted([[2, 1] as const, [4, 2] as const, [3, 3] as const, [1, 4] as const, [1, 5] as const]);
  const drawn = drawStore(draws, count, typicalMs);
  const policies = drawPolicies(draws, drawn, typicalMs);
  const isSkewed = draws.happens(0.4);
  // Of several servers, one is mostly in another zone.
  const farthest = draws.happens(drawn.servers.length > 1 ? 0.75 : 0.15)
    ? draws.whole(0, drawn.servers.length - 1)
    : -1;
  return {
    processes: Array.from({ length: count }, () => drawProcess(draws, isSkewed, policies, conditions)),
    servers: drawn.servers.map((kind, i) =>
      drawServer(draws, kind, isSkewed, {
        faults: conditions.faults,
        timeoutMs: drawn.timeoutMs,
        isFar: i === farthest || draws.happens(0.1),
      }),
    ),
    store: drawn.store,
    policies,
    network: drawNetwork(draws, conditions.faults, drawn.servers.includes('table')),
    lastsMs: drawLength(draws, typicalMs),
  };
}

/** Some multiples of the longest window. Some runs last minutes in any case: that is how long answers are remembered. */
function drawLength(draws: Draws, typicalMs: number): number {
  const lastsMs = draws.scaled(typicalMs, typicalMs * 12);
  return Math.min(LONGEST_DRAWN_MS, draws.happens(0.45) ? Math.max(lastsMs, draws.scaled(60_000, 600_000)) : lastsMs);
}

function drawProcess(
  draws: Draws,
  isSkewed: boolean,
  policies: readonly PolicySetup[],
  { faults, codes }: RunConditions,
): ProcessSetup {
  const clockAheadMs = isSkewed ? drawSkew(draws) : 0;
  if (!faults.versions) return { clockAheadMs };
  const variants = Math.max(...policies.map((policy) => policy.variants.length));
  return {
    clockAheadMs,
    ...(codes > 1 && { code: draws.whole(0, codes - 1) }),
    ...(variants > 1 && { variant: draws.whole(0, variants - 1) }),
  };
}

function drawServer(
  draws: Draws,
  kind: ServerSetup['kind'],
  isSkewed: boolean,
  { faults, timeoutMs, isFar }: { readonly faults: FaultSet; readonly timeoutMs: number; readonly isFar: boolean },
): ServerSetup {
  const drift = faults.drift && draws.happens(0.5) && { driftPpm: draws.of([-1, 1]) * draws.scaled(10, 1000) };
  const far = isFar && { farMs: draws.whole(1, Math.max(2, timeoutMs / 4)) };
  return { kind, clockAheadMs: isSkewed ? drawSkew(draws) : 0, ...drift, ...far };
}

/** Returns how far a clock is ahead: mostly by less than a minute, sometimes by hours. */
export function drawSkew(draws: Draws): number {
  return draws.of([-1, 1]) * draws.scaled(1, draws.happens(0.8) ? 60_000 : 2 * LONGEST_MS);
}

function drawNetwork(draws: Draws, faults: FaultSet, hasTable: boolean): NetworkSetup {
  const calm: NetworkSetup = { delayMs: [1, 3], slow: 0, slowMs: 0, breaks: 0, twice: 0 };
  const delayMs = draws.of([
    [1, 3],
    [1, 3],
    [0.2, 1],
    [5, 20],
  ] as const);
  if (!faults.network) return { ...calm, delayMs };
  const isSlow = draws.happens(0.6);
  return {
    delayMs,
    slow: isSlow ? draws.scaled(5, 300) / 1000 : 0,
    slowMs: isSlow ? draws.scaled(20, 5000) : 0,
    breaks: draws.happens(0.5) ? draws.scaled(2, 100) / 1000 : 0,
    twice: hasTable && draws.happens(0.6) ? draws.scaled(10, 300) / 1000 : 0,
  };
}
