import { describe, expect, it } from '@jest/globals';
import { aimsOf } from '../../src/overload/aims.js';
import { type Answered, outcomeOf } from '../../src/overload/outcome.js';
import { pageOf } from '../../src/overload/page.js';
import { kept, type Results, type Row } from '../../src/overload/results.js';

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

const outcome = (goodPerSecond: number, critical = 1, p99Ms = 100) => ({
  ...outcomeOf([], 1),
  ...{ goodPerSecond, p99Ms, goodOf: { critical, normal: 0.2, low: 0 } },
});

const row = (
  host: Row['host'],
  protection: Row['protection'],
  [atOnce, atThrice]: [number, number],
  rest = {},
): Row => ({
  ...{ host, protection, handler: 'sync', capacity: 100, lateP99Ms: 1, processor: 0.1 },
  ...{ once: outcome(atOnce), thrice: outcome(atThrice), afterwards: outcome(50) },
  ...rest,
});

const resultsOf = (...rows: Row[]): Results => ({
  date: '2026-11-23T03:00:00.000Z',
  machine: 'a machine',
  rows,
  points: [],
});

describe('The results', () => {
  it('compare a row with the most that its server got at its capacity', () => {
    const ours = row('Express', 'shedLoad', [90, 80]);
    const rows = [ours, row('Express', 'none', [100, 0]), row('Fastify', 'none', [200, 0])];
    const held = row('Express', 'none', [300, 0], { quota: 'cgroup' });
    expect(kept(ours, [...rows, held])).toBe(0.8);
  });

  it('state the framework that came nearest to missing an aim', () => {
    const results = resultsOf(
      row('Express', 'shedLoad', [100, 79]),
      row('Fastify', 'shedLoad', [100, 95], { thrice: outcome(95, 0.85, 201) }),
      row('Fastify', 'none', [100, 0], { thrice: outcome(0, 0, 2_000) }),
    );
    const missed = aimsOf(results).filter(({ isReached }) => !isReached);
    expect(missed.map(({ text, isFarOff }) => [text, isFarOff])).toEqual([
      ['sync: 79 % of what it gets at its capacity (aim: at least 80 %)', false],
      ['sync: 85 % of the critical requests (aim: at least 90 %)', false],
      ['sync: p99 of the admitted 201 ms (aim: at most 200 ms)', false],
    ]);
  });

  it('fail a run that is far from its aims', () => {
    const results = resultsOf(row('Express', 'shedLoad', [100, 39], { thrice: outcome(39, 0.49, 2_000) }));
    expect(aimsOf(results).map(({ isFarOff }) => isFarOff)).toEqual([true, true, true]);
  });

  it('are a page with a table for each handler and quota, which says that an answer never came', () => {
    const page = pageOf(
      resultsOf(
        row('Express', 'none', [100, 0], { thrice: outcome(0, 0, 2_000) }),
        row('Fastify', 'shedLoad', [100, 90], { quota: 'SIGSTOP' }),
      ),
    );
    expect(page).toContain('`npm run proof -- overload`, 2026-11-23, a machine');
    expect(page).toMatch(/^\| Express, none +\| +0 % \|.* never \|/m);
    expect(page.match(/^\*\*.*\*\*$/gm)).toEqual([
      '**sync: 2.4 ms of processor time**',
      '**sync: 2.4 ms of processor time, with 50 ms of the processor in each 100 ms (SIGSTOP)**',
    ]);
  });
});
