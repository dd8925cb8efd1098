import { describe, expect, it } from '@jest/globals';
import { aimsOf } from '../../src/overload/aims.js';
import { exponentialWork } from '../../src/overload/exponential.js';
import { type Answered, outcomeOf } from '../../src/overload/outcome.js';
import { pageOf } from '../../src/overload/page.js';
import {
  keptOfIdeal,
  type Point,
  type Results,
  type Run,
  type Series,
  seriesOf,
  spreadAt,
} from '../../src/overload/results.js';
import { randomOf } from '../../src/random.js';

const served = (latencyMs: number, count = 1): Answered[] =>
  Array.from({ length: count }, () => ({ priority: 'normal', fate: 'served', latencyMs }));

describe('An outcome', () => {
  it('counts an answer as good that came within 500 ms, and as admitted whatever was not shed', () => {
    const outcome = outcomeOf(
      [
        ...served(10, 97),
        ...served(501),
        { priority: 'critical', fate: 'failed', latencyMs: 2_000 },
        { priority: 'critical', fate: 'served', latencyMs: 500 },
        ...Array.from({ length: 100 }, (): Answered => ({ priority: 'low', fate: 'shed', latencyMs: 1 })),
      ],
      10,
    );
    expect(outcome).toMatchObject({ offeredPerSecond: 20, goodPerSecond: 9.8, good: 0.49, shed: 0.5 });
    expect(outcome).toMatchObject({ goodOf: { critical: 0.5, low: 0 }, shedOf: { critical: 0, normal: 0, low: 1 } });
    expect([outcome.p50Ms, outcome.p99Ms]).toEqual([10, 501]);
  });
});

/** At a load of 300 a second: a third is refused if 200 are good. */
const pointAt = (times: number, goodPerSecond: number, { critical = 1, p99Ms = 100, soon = 1 } = {}) => ({
  ...{ times, actualTimes: 3, capacity: 100, kept: goodPerSecond / 100, lateP99Ms: 1, clientProcessor: 0.1 },
  outcome: {
    ...{ ...outcomeOf([], 1), goodPerSecond, offeredPerSecond: 300, shed: 1 - goodPerSecond / 300, soon, p99Ms },
    goodOf: { critical, normal: 0.2, low: 0 },
  },
});

const run = (host: Run['host'], protection: Run['protection'], points: readonly Point[], rest = {}): Run => ({
  ...{ run: 0, host, protection, handler: 'sync', points },
  ...rest,
});

/** Each refusal takes a millisecond. */
const COSTS = (['Express', 'Fastify'] as const).map((host) => ({ run: 0, host, ownMs: 1, shedLoadMs: 1.1 }));

const resultsOf = (...runs: Run[]): Results => ({
  date: '2026-11-23T03:00:00.000Z',
  machine: 'a machine',
  runs,
  costs: COSTS,
});

describe('The results', () => {
  it('compare good answers with what the processor has left after the refusals', () => {
    const idealOf = (point: Point, rest = {}): number => {
      const only = run('Express', 'shedLoad', [point], rest);
      return keptOfIdeal(point, only, resultsOf(only));
    };
    // 200 refusals of 1 ms leave four fifths of the processor, and of half a processor three fifths.
    expect(idealOf(pointAt(3, 80))).toBeCloseTo(80 / 100 / (1 - 0.22));
    expect(idealOf(pointAt(3, 60), { quota: 'cgroup' })).toBeCloseTo(60 / 100 / (1 - 0.24 / 0.5));
  });

  it('are shown by their median, the least and the most', () => {
    const runs = [70, 90, 80].map((good, i) => run('Express', 'shedLoad', [pointAt(3, good)], { run: i }));
    const [series] = seriesOf(resultsOf(...runs));
    expect(spreadAt(series as Series, 3, (point) => point.kept)).toEqual({ median: 0.8, least: 0.7, most: 0.9 });
  });

  it('state the framework and the load that came nearest to missing an aim', () => {
    const results = resultsOf(
      run('Express', 'shedLoad', [pointAt(0.75, 75), pointAt(1, 90, { soon: 0.9 }), pointAt(2, 79), pointAt(3, 70)]),
      run('Fastify', 'shedLoad', [pointAt(3, 95, { critical: 0.97, p99Ms: 201 })]),
      run('Fastify', 'none', [pointAt(3, 0, { critical: 0, p99Ms: 2_000 })]),
    );
    const missed = aimsOf(results).filter(({ isReached }) => !isReached);
    expect(missed.map(({ text, isFarOff }) => [text, isFarOff])).toEqual([
      ['sync: 75 % refused at 0.75 times the capacity (Express at 0.75; aim: at most 0.1 %)', true],
      ['sync: 90 % served within 250 ms at the capacity (Express at 1; aim: at least 95 %)', false],
      ['sync: 90.9 % of the ideal above it (Express at 3; aim: at least 95 %)', false],
      ['sync: 201 ms p99 of the admitted above it (Fastify at 3; aim: at most 200 ms)', false],
      [
        'sync: 97 % of the critical requests above it (Fastify at 3; aim: at least 98 %; an oracle in the simulator: 65 % at 4 where a refusal takes 0.35 ms)',
        false,
      ],
    ]);
  });

  it('fail a run that is far from its aims', () => {
    const points = [pointAt(0.75, 60), pointAt(1, 60, { soon: 0.6 }), pointAt(3, 30, { critical: 0.4, p99Ms: 2_000 })];
    const aims = aimsOf(resultsOf(run('Express', 'shedLoad', points)));
    expect(aims.map(({ isFarOff }) => isFarOff)).toEqual([true, true, true, true, true, false, false]);
  });

  it('are a page with a table for each handler and quota, which says that an answer never came', () => {
    const page = pageOf(
      resultsOf(
        run('Express', 'none', [pointAt(3, 0, { p99Ms: 2_000 })]),
        run('Fastify', 'shedLoad', [pointAt(0.75, 75), pointAt(1, 90), pointAt(3, 90)], { quota: 'SIGSTOP' }),
      ),
    );
    expect(page).toContain('`npm run proof -- overload`, 2026-11-23, a machine');
    expect(page).toMatch(/^\| Express, none .* never \|/m);
    expect(page.match(/^\*\*.*\*\*$/gm)).toEqual([
      '**sync: 2.4 ms of processor time**',
      '**sync: 2.4 ms of processor time, with 50 ms of the processor in each 100 ms (SIGSTOP)**',
      '**processor time of a refusal, in microseconds**',
    ]);
  });
});

describe('The work', () => {
  it('has an exponential distribution, and the same mean in each two hundred draws', () => {
    const draw = exponentialWork(2, randomOf(1));
    for (let pack = 0; pack < 3; pack += 1) {
      const drawn = Array.from({ length: 200 }, draw);
      expect(drawn.reduce((sum, one) => sum + one, 0) / 200).toBeCloseTo(2, 9);
      const above = (least: number): number => drawn.filter((one) => one > least).length / 200;
      expect([above(2), above(4)].map((part) => part.toFixed(2))).toEqual(
        [Math.exp(-1), Math.exp(-2)].map((part) => part.toFixed(2)),
      );
    }
    expect(Array.from({ length: 200 }, draw)).not.toEqual(Array.from({ length: 200 }, draw));
  });
});
