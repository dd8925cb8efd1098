import { describe, expect, it } from '@jest/globals';
import { COLUMNS, type Column, phaseOf } from '@sluice/test-kit/overload/columns';
import type { PhaseResult } from '@sluice/test-kit/overload/measurement';
import { fixedLimit } from '@sluice/test-kit/overload/peers/fixed-limit';
import { IS_FULL, mean, percent, play, report, SEVERAL_SEEDS } from './simulations.js';

/** Plays one phase at a multiple of the capacity, and reports it. */
function playOne(name: string, column: Column, times: number, more: { forMs?: number; settleMs?: number } = {}) {
  const { forMs = 30_000, settleMs = 5000 } = more;
  const phases = [{ ...phaseOf(column, 'only', times, forMs, { settleMs }), name: 'only' as const }];
  const runs = play({ ...column, phases }).map(({ only }) => only);
  const [goodput, served, critical, p99Ms] = [
    mean(runs.map(({ goodPerS }) => goodPerS)) / column.capacityPerS,
    mean(runs.map((run) => run.served)),
    mean(runs.map(({ criticalServed }) => criticalServed)),
    mean(runs.map((run) => run.p99Ms)),
  ];
  report(
    `${name} at ${times}x: ${percent(goodput)} % of the capacity, ${percent(served)} % served, critical ${percent(critical)} %, p99 ${p99Ms.toFixed(0)} ms`,
  );
  return runs;
}

/** A server that has the processor for the rest of each 100 ms. Its capacity is what is left. */
function taken(takenMs: number, column: Column = COLUMNS.cpu): Column {
  const capacityPerS = column.capacityPerS * (1 - takenMs / 100);
  return { ...column, capacityPerS, slices: { everyMs: 100, takenMs } };
}

describe('a process whose processor is taken away in slices', () => {
  it('serves nearly everybody at 0.6 times what is left, and most of what is possible at three times', () => {
    for (const { served } of playOne('50 of 100 ms taken', taken(50), 0.6)) expect(served).toBeGreaterThanOrEqual(0.98);
    for (const { goodPerS } of playOne('50 of 100 ms taken', taken(50), 3)) {
      expect(goodPerS).toBeGreaterThanOrEqual(0.8 * 200);
    }
  });

  (IS_FULL ? it : it.skip).each([25, 50, 70])('is tried with other slices: %d ms of 100', (takenMs) => {
    for (const times of [0.6, 0.8, 1.5, 3, 6]) {
      for (const { goodPerS } of playOne(`${takenMs} of 100 ms taken`, taken(takenMs), times)) {
        expect(goodPerS).toBeGreaterThan(0.6 * Math.min(1, times) * taken(takenMs).capacityPerS);
      }
    }
  });
});

describe('a process that stands still for 100 ms every 5 s', () => {
  it.each(['sync', 'cpu'] as const)(
    'refuses few requests at 0.7 times its load, and none that is critical: %s',
    (name) => {
      const column: Column = { ...COLUMNS[name], pauses: { everyMs: 5000, forMs: 100 } };
      for (const { shed, classes } of playOne(`paused, ${name}`, column, 0.7, { forMs: 60_000, settleMs: 0 })) {
        expect(shed).toBeLessThanOrEqual(0.02);
        expect(classes.critical.refused).toBe(0);
      }
    },
  );
});

describe('a downstream that takes four times as long for 20 s', () => {
  const column: Column = { ...COLUMNS['down 20'], deadlineMs: 1500 };
  const TIMES = [
    ['before', 20_000, 1],
    ['slow', 20_000, 4],
    ['soon after', 5000, 1],
    ['later', 20_000, 1],
  ] as const;

  /** The knee by how slow the downstream is: 54 simulations find it, which only the full proof plays. */
  const KNEES = { 1: 24, 4: 22 } as const;
  const MOST_OFF = 4;

  /** The fixed limit with the best throughput³ / latency: there, the latency grows by the power 3/4 of what is in flight. */
  function kneeOf(slowness: number): number {
    const limits = [12, 16, 20, 22, 24, 26, 28, 34, 40];
    const powers = limits.map((limit) => {
      const phase = { ...phaseOf(column, 'only', 3, 8000, { settleMs: 2000, downstreamSlowness: slowness }) };
      const runs = play(
        { ...column, phases: [{ ...phase, name: 'only' as const }] },
        fixedLimit(limit, { normal: 0.1, low: 0.25 }),
      );
      return mean(runs.map(({ only }) => only.goodPerS ** 3 / only.meanMs));
    });
    return limits[powers.indexOf(Math.max(...powers))] as number;
  }

  it('keeps its limit near the knee for four fifths of the time, and everybody is served 5 s later', () => {
    const phases = TIMES.map(([name, forMs, downstreamSlowness]) => ({
      ...phaseOf(column, name, 0.8, forMs, { downstreamSlowness }),
      name,
    }));
    const runs = play({ ...column, phases }, undefined, SEVERAL_SEEDS);
    for (const [phase, slowness, most] of [
      ['slow', 4, 2],
      // It hardly binds then, and may be higher.
      ['later', 1, 2.5],
    ] as const) {
      const knee = KNEES[slowness];
      if (IS_FULL) expect(Math.abs(kneeOf(slowness) - knee)).toBeLessThanOrEqual(MOST_OFF);
      const at = (part: number): number => mean(runs.map((run) => limitAt(run[phase], part)));
      const [low, high, served] = [at(0.1), at(0.9), mean(runs.map((run) => run[phase].served))];
      report(
        `downstream ${slowness}x slower: limit ${low.toFixed(0)} to ${high.toFixed(0)}, knee ${knee}, ${percent(served)} % served`,
      );
      // The limit is tried 15 % below and above its center.
      expect(low / 0.85).toBeGreaterThanOrEqual(0.5 * knee);
      expect(high / 1.15).toBeLessThanOrEqual(most * knee);
    }
    const served = (phase: 'before' | 'later'): number => mean(runs.map((run) => run[phase].served));
    expect(served('later')).toBeGreaterThanOrEqual(0.99 * served('before'));
    expect(mean(runs.map(({ later }) => later.criticalServed))).toBeGreaterThanOrEqual(0.995);
  });
});

/** The limit that was not passed for this part of a phase. */
function limitAt({ samples }: PhaseResult, part: number): number {
  const limits = samples.map(({ limit }) => limit).sort((a, b) => a - b);
  return limits[Math.floor(part * limits.length)] as number;
}

describe('false shedding', () => {
  it.each([
    ['handlers of 2.5 ms at 0.95 times the capacity', COLUMNS.sync, 0.95, 0.92],
    ['handlers of 10 ms at 0.7 times the capacity', handlers(10), 0.7, 0.95],
    ['handlers of 50 ms at 0.7 times the capacity', handlers(50), 0.7, 0.93],
  ] as const)('is rare: %s', (name, column, times, least) => {
    for (const { shed, classes } of playOne(name, column, times, { forMs: 60_000 })) {
      expect(shed).toBeLessThan(1 - least);
      expect(classes.critical.refused).toBe(0);
    }
  });
});

function handlers(cpuMs: number): Column {
  return { capacityPerS: 1000 / cpuMs, deadlineMs: 20 * cpuMs, routes: [{ weight: 1, steps: [{ cpuMs }] }] };
}

it('serves what it can, and critical requests, while each request costs twice as much', () => {
  const column = COLUMNS.sync;
  const phases = [
    { ...phaseOf(column, 'usual', 0.8, 10_000), name: 'usual' as const },
    { ...phaseOf(column, 'doubled', 0.8, 20_000, { cpuSlowness: 2 }), name: 'doubled' as const },
    { ...phaseOf(column, 'again', 0.8, 10_000, { settleMs: 1000 }), name: 'again' as const },
  ];
  const runs = play({ ...column, phases });
  const [served, critical] = [
    mean(runs.map(({ doubled }) => doubled.served)),
    mean(runs.map(({ doubled }) => doubled.criticalServed)),
  ];
  report(`cost doubled: ${percent(served)} % served, critical ${percent(critical)} %`);
  for (const { doubled, again } of runs) {
    // 62.5 % is all that can be served.
    expect(doubled.served).toBeGreaterThan(0.85 * 0.625);
    expect(doubled.criticalServed).toBeGreaterThan(0.98);
    expect(again.served).toBeGreaterThan(0.97);
  }
});
