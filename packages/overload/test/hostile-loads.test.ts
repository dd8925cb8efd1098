import { describe, expect, it } from '@jest/globals';
import { COLUMNS, type Column, type ColumnName, phaseOf } from '@sluice/test-kit/overload/columns';
import type { PhaseResult } from '@sluice/test-kit/overload/measurement';
import { IS_FULL, mean, percent, play, report } from './simulations.js';

/** Reports the means of all seeds. */
function line(name: string, runs: readonly PhaseResult[]): void {
  const of = (number: (run: PhaseResult) => number): number => mean(runs.map(number));
  const [good, p99Ms] = [of(({ goodPerS }) => goodPerS), of((run) => run.p99Ms)].map((number) => number.toFixed(0));
  const [served, critical] = [of((run) => run.served), of(({ criticalServed }) => criticalServed)].map(percent);
  report(`${name}: ${good} good/s, ${served} % served, critical ${critical} %, p99 ${p99Ms} ms`);
}

describe('a shedder under hostile loads', () => {
  it('takes a jump to ten times the load, and serves all again when it is over', () => {
    const column = COLUMNS.sync;
    const phases = [
      { ...phaseOf(column, 'calm', 0.5, 10_000), name: 'calm' as const },
      { ...phaseOf(column, 'jump', 10, 10_000), name: 'jump' as const },
      { ...phaseOf(column, 'over', 0.5, 10_000, { settleMs: 1000 }), name: 'over' as const },
    ];
    const runs = play({ ...column, phases });
    line(
      'jump to 10x',
      runs.map((run) => run.jump),
    );
    for (const { jump, over } of runs) {
      // Reading and refusing 4,000 requests a second takes 40 % of the processor.
      expect(jump.goodPerS).toBeGreaterThan(0.85 * 0.6 * column.capacityPerS);
      expect(jump.p99Ms).toBeLessThan(300);
      // No place is left for low ones: critical ones alone are twice what can be served.
      expect(jump.classes.critical.good).toBeGreaterThan(10 * jump.classes.low.good);
      expect(over.served).toBeGreaterThan(0.99);
    }
  });

  it.each(['sync', 'down 20'] as const)(
    'takes a load that changes every 2 s between 0.3 and three times: %s',
    (name) => {
      const column: Column = COLUMNS[name];
      const phases = Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? { ...phaseOf(column, 'low', 0.3, 2000, { settleMs: 500 }), name: 'low' as const }
          : { ...phaseOf(column, 'high', 3, 2000), name: 'high' as const },
      );
      const runs = play({ ...column, phases });
      line(
        `waves, ${name}, low`,
        runs.map((run) => run.low),
      );
      line(
        `waves, ${name}, high`,
        runs.map((run) => run.high),
      );
      for (const { low, high } of runs) {
        expect(low.served).toBeGreaterThan(0.97);
        expect(high.goodPerS).toBeGreaterThan(0.75 * column.capacityPerS);
        expect(high.criticalServed).toBeGreaterThan(0.65);
      }
    },
  );

  it.each<[string, ColumnName, { critical: number; low: number }]>([
    ['critical', 'sync', { critical: 1, low: 0 }],
    ['low', 'sync', { critical: 0, low: 1 }],
    ['critical', 'down 20', { critical: 1, low: 0 }],
    ['low', 'down 20', { critical: 0, low: 1 }],
  ])('serves as much if all requests are %s: %s', (_, name, classes) => {
    const column: Column = COLUMNS[name];
    const phases = [{ ...phaseOf(column, 'only', 3, 20_000, { settleMs: 5000 }), name: 'only' as const }];
    const runs = play({ ...column, classes, phases });
    line(
      `all alike, ${name}`,
      runs.map((run) => run.only),
    );
    for (const { only } of runs) {
      expect(only.goodPerS).toBeGreaterThan(0.85 * column.capacityPerS);
      expect(only.p99Ms).toBeLessThan(200);
    }
  });

  it('keeps critical requests while a class of few requests makes half of the work: they cost 100 times as much', () => {
    const column: Column = {
      capacityPerS: 1000,
      routes: [
        { weight: 99, steps: [{ cpuMs: 0.5 }] },
        { weight: 1, steps: [{ cpuMs: 50 }], priority: 'low' },
      ],
      classes: { critical: 0.2, low: 0 },
    };
    const phases = [{ ...phaseOf(column, 'only', 1.5, 20_000, { settleMs: 3000 }), name: 'only' as const }];
    const runs = play({ ...column, phases });
    line(
      'costs 1:100',
      runs.map((run) => run.only),
    );
    for (const { only } of runs) {
      // The gate counts requests, not their costs: while it shuts out one class, others wait behind what it let in.
      expect(only.served).toBeGreaterThan(0.7);
      expect(only.criticalServed).toBeGreaterThan(0.95);
    }
  });

  it.each(IS_FULL ? (['sync', 'cpu', 'down 8', 'down 20', 'down 100'] as const) : (['sync', 'down 20'] as const))(
    'starts under three times the load: %s',
    (name) => {
      const column: Column = COLUMNS[name];
      const phases = [
        { ...phaseOf(column, 'first', 3, 3000), name: 'first' as const },
        { ...phaseOf(column, 'then', 3, 15_000, { settleMs: 5000 }), name: 'then' as const },
      ];
      const runs = play({ ...column, phases });
      line(
        `start at 3x, ${name}, first 3 s`,
        runs.map((run) => run.first),
      );
      line(
        `start at 3x, ${name}, after 8 s`,
        runs.map((run) => run.then),
      );
      for (const { first, then } of runs) {
        expect(first.goodPerS).toBeGreaterThan(0.4 * column.capacityPerS);
        expect(then.goodPerS).toBeGreaterThan(0.8 * column.capacityPerS);
      }
    },
  );

  it('sheds in time after hours of one request a second beside heavy work of other kinds', () => {
    const column: Column = COLUMNS.sync;
    const phases = [
      { name: 'idle' as const, forMs: 3_600_000, perS: 1 },
      { ...phaseOf(column, 'first', 3, 3000), name: 'first' as const },
      { ...phaseOf(column, 'then', 3, 10_000), name: 'then' as const },
    ];
    const runs = play({ ...column, pauses: { everyMs: 10_000, forMs: 100 }, phases });
    line(
      'after idling, first 3 s',
      runs.map((run) => run.first),
    );
    line(
      'after idling, then',
      runs.map((run) => run.then),
    );
    for (const { first, then } of runs) {
      expect(first.goodPerS).toBeGreaterThan(0.7 * column.capacityPerS);
      expect(then.goodPerS).toBeGreaterThan(0.8 * column.capacityPerS);
      expect(then.criticalServed).toBeGreaterThan(0.95);
    }
  });

  it.each(['sync', 'down 20'] as const)('withstands clients that try again three times after a refusal: %s', (name) => {
    const column: Column = COLUMNS[name];
    const phases = [{ ...phaseOf(column, 'only', 1.5, 30_000, { settleMs: 5000 }), name: 'only' as const }];
    const runs = play({ ...column, retries: 3, phases });
    line(
      `retries, ${name}`,
      runs.map((run) => run.only),
    );
    for (const { only } of runs) {
      expect(only.goodPerS).toBeGreaterThan(0.8 * column.capacityPerS);
      expect(only.criticalServed).toBeGreaterThan(0.99);
    }
  });

  it.each(IS_FULL ? (['cpu', 'down 20', 'down 100'] as const) : (['cpu', 'down 20'] as const))(
    'stands clients that leave when they have waited too long: %s',
    (name) => {
      const column: Column = COLUMNS[name];
      const phases = [{ ...phaseOf(column, 'only', 3, 20_000, { settleMs: 5000 }), name: 'only' as const }];
      const runs = play({ ...column, isImpatient: true, phases });
      line(
        `impatient clients, ${name}`,
        runs.map((run) => run.only),
      );
      for (const { only } of runs) {
        expect(only.goodPerS).toBeGreaterThan(0.8 * column.capacityPerS);
      }
    },
  );

  it('keeps most critical requests while the downstream of one route takes 50 times as long, and recovers', () => {
    const column: Column = {
      capacityPerS: 1000,
      routes: [
        { weight: 9, steps: [{ cpuMs: 0.2 }, { call: 'fast' }] },
        { weight: 1, steps: [{ cpuMs: 0.2 }, { call: 'slow' }] },
      ],
      downstreams: {
        fast: { servers: 20, serviceMs: 20, contention: 0.02 },
        slow: { servers: 20, serviceMs: 20, contention: 0.02 },
      },
      deadlineMs: 3000,
    };
    const phases = [
      { ...phaseOf(column, 'usual', 0.8, 10_000), name: 'usual' as const },
      { ...phaseOf(column, 'slow', 0.8, 30_000, { downstreamSlowness: { slow: 50 } }), name: 'slow' as const },
      { ...phaseOf(column, 'later', 0.8, 20_000, { settleMs: 5000 }), name: 'later' as const },
    ];
    const runs = play({ ...column, phases });
    line(
      'one slow route',
      runs.map((run) => run.slow),
    );
    line(
      'one slow route, 5 s later',
      runs.map((run) => run.later),
    );
    for (const { slow, later } of runs) {
      // All routes share one limit, and the slow one fills it. A shedder for each route is the cure.
      expect(slow.criticalServed).toBeGreaterThan(0.6);
      expect(later.criticalServed).toBeGreaterThan(0.9);
    }
  });
});
