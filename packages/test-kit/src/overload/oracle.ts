import type { Permit, Priority } from '@sluice/core/load';
import type { MakeGuard } from './guard.js';

/** Up to which queue an oracle admits a class. */
export interface OracleBounds {
  /** Of the wait of a request so far, and the processor time of all that are ahead of it. */
  readonly waitMs: Readonly<Record<Priority, number>>;
  /** Of the requests in flight. */
  readonly inFlight: Readonly<Record<Priority, number>>;
}

const permit: Permit = { done() {}, drop() {}, pause() {}, resume() {} };

/**
 * A shedder that knows how long the queues are, at once and exactly: what has been admitted and has not ended, with all that it still
 * has to do. It does not know what a request costs that has not been admitted, or what comes next. With the bounds that were best in
 * hindsight, it shows what is possible under a load.
 */
export function oracle({ waitMs, inFlight }: OracleBounds): MakeGuard {
  return ({ truth }) => ({
    admit: (priority) =>
      truth.waitedMs + truth.aheadMs <= waitMs[priority] && truth.inFlight < inFlight[priority] ? permit : undefined,
  });
}

const ANY = { critical: Number.POSITIVE_INFINITY, normal: Number.POSITIVE_INFINITY, low: Number.POSITIVE_INFINITY };

/** The bounds that are tried for servers that are short of processor time. */
export const WAITS: readonly OracleBounds[] = [20, 40, 70, 110, 160].flatMap((normal) =>
  [40, 80, 140].map((more) => ({
    waitMs: { critical: normal + more, normal, low: 0.8 * normal },
    inFlight: ANY,
  })),
);

/** The bounds that are tried for servers that wait for what is behind them. */
export const PLACES: readonly OracleBounds[] = [7, 8, 10, 12, 14, 17, 20, 24, 28, 34].flatMap((normal) =>
  [1, 1.6].map((more) => ({
    waitMs: ANY,
    inFlight: { critical: more * normal, normal, low: more === 1 ? normal : 0.8 * normal },
  })),
);
