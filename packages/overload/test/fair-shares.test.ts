import { describe, expect, it } from '@jest/globals';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import fc from 'fast-check';
import type { Share, TenantOptions } from '../src/fair-shares.js';
import { PlaceShares } from '../src/place-shares.js';
import { RequestShares } from '../src/request-shares.js';

interface Tenant {
  readonly name: string;
  readonly perInterval: number;
}

/**
 * Lets tenants ask for some intervals of 100 ms, by turns. So many requests of each interval are admitted: first those of tenants below
 * their part, then others, as far as there is room. Returns how many of each tenant were admitted in the last ten intervals.
 */
function play(tenants: readonly Tenant[], capacity: number, options: TenantOptions = {}): Record<string, number> {
  const shares = new RequestShares(options);
  const admitted: Record<string, number> = Object.fromEntries(tenants.map(({ name }) => [name, 0]));
  for (let interval = 0; interval < 60; interval += 1) {
    const above: [name: string, share: Share][] = [];
    let left = capacity;
    const admit = (name: string, share: Share): void => {
      left -= 1;
      share.admitted += 1;
      if (interval >= 50) admitted[name] = (admitted[name] as number) + 1;
    };
    const most = Math.max(...tenants.map(({ perInterval }) => perInterval));
    for (let i = 0; i < most; i += 1) {
      for (const { name, perInterval } of tenants) {
        if (i >= perInterval) continue;
        const share = shares.asked(name, 100 * interval);
        if (shares.isAbove(share, 0)) above.push([name, share]);
        else if (left > 0) admit(name, share);
      }
    }
    for (const [name, share] of above) if (left > 0) admit(name, share);
  }
  return admitted;
}

describe('the parts of tenants', () => {
  it.each<[string, readonly Tenant[], Record<string, number>]>([
    [
      'all that a modest one wants, and the rest',
      [
        { name: 'greedy', perInterval: 100 },
        { name: 'modest', perInterval: 5 },
      ],
      { greedy: 15, modest: 5 },
    ],
    [
      'the same for those that want more than it',
      [
        { name: 'greedy', perInterval: 100 },
        { name: 'eager', perInterval: 15 },
        { name: 'modest', perInterval: 2 },
      ],
      { greedy: 9, eager: 9, modest: 2 },
    ],
    ['everything for one alone', [{ name: 'greedy', perInterval: 100 }], { greedy: 20 }],
  ])('are %s', (_title, tenants, perInterval) => {
    const admitted = play(tenants, 20);
    for (const [name, count] of Object.entries(perInterval)) {
      expect([name, (admitted[name] as number) / 10]).toEqual([name, expect.closeTo(count, 0)]);
    }
  });

  it('are as large as their weights say', () => {
    const tenants = [
      { name: 'gold', perInterval: 50 },
      { name: 'free', perInterval: 50 },
    ];
    const { gold = 0, free = 0 } = play(tenants, 20, { weight: (name) => (name === 'gold' ? 3 : 1) });
    expect(gold / free).toBeCloseTo(3, 0);
  });

  it('are as large as their weights say, also if those are far apart', () => {
    const tenants = [
      { name: 'greedy', perInterval: 100 },
      { name: 'huge', perInterval: 5 },
    ];
    const admitted = play(tenants, 6, { weight: (name) => (name === 'huge' ? 1e6 : 1e-12) });
    expect((admitted.huge as number) / 10).toBeCloseTo(5, 0);
  });

  it('bind nobody while everything is admitted', () => {
    const shares = new RequestShares({});
    for (let request = 0; request < 10_000; request += 1) {
      const share = shares.asked(request % 100 === 0 ? 'modest' : 'greedy', request);
      expect(shares.isAbove(share, 0)).toBe(false);
      share.admitted += 1;
    }
  });

  it('are max-min fair, whatever tenants want', () => {
    const wants = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(wants, fc.integer({ min: 6, max: 60 }), (all, capacity) => {
        const tenants = all.map((perInterval, i) => ({ name: `${i}`, perInterval }));
        const admitted = play(tenants, capacity);
        // The textbook: fill all up equally.
        let left = capacity;
        const fair = all
          .map((want, i) => ({ want, i }))
          .sort((a, b) => a.want - b.want)
          .map(({ want, i }, place) => {
            const part = Math.min(want, left / (all.length - place));
            left -= part;
            return { i, part };
          });
        for (const { i, part } of fair)
          expect((admitted[`${i}`] as number) / 10).toBeGreaterThanOrEqual(0.85 * part - 1);
      }),
      { numRuns: Number(process.env.SLUICE_RUNS ?? 30) },
    );
  });
});

describe('the memory of tenants', () => {
  it('has at most as many as stated: all further ones share one part', () => {
    const shares = new RequestShares({ max: 3 });
    const made = Array.from({ length: 1000 }, (_, i) => shares.asked(`made up ${i}`, 0));
    expect(shares.size).toBe(4);
    expect(new Set(made).size).toBe(4);
  });

  it('forgets who has not come for some seconds, but nobody with a place', () => {
    const shares = new PlaceShares({}, () => 10);
    shares.asked('gone', 0).admitted += 1;
    const placed = shares.asked('placed', 0);
    placed.placed += 1;
    for (let second = 1; second < 20; second += 1) shares.asked('other', 1000 * second);
    expect(shares.size).toBe(2);
    expect(shares.asked('placed', 20_000)).toBe(placed);
  });

  it('keeps no long names', () => {
    const shares = new RequestShares({});
    const long = shares.asked('a'.repeat(100_000), 0);
    expect(shares.asked(`${'a'.repeat(99_999)}b`, 0)).not.toBe(long);
    expect(shares.asked('a'.repeat(100_000), 0)).toBe(long);
  });

  it('counts what a tenant has again that was forgotten while its requests waited', () => {
    const shares = new PlaceShares({ max: 2 }, () => 10);
    const [first, second] = ['first', 'second'].map((name) => shares.asked(name, 0)) as [Share, Share];
    shares.asked('other', 60_000);
    expect(shares.size).toBe(1);
    expect(shares.present(first)).toBe(first);
    expect(shares.asked('first', 60_000)).toBe(first);
    // There is no part of its own for it any more.
    expect(shares.present(second)).toBe(shares.asked('made up', 60_000));
  });

  it('forgets how many places a tenant had, also while nobody asks', () => {
    const shares = new PlaceShares({}, () => 10);
    for (let interval = 0; interval < 50; interval += 1) {
      const share = shares.asked('ann', 100 * interval);
      share.admitted += 1000;
      share.placed = 8;
    }
    const ann = shares.asked('ann', 5000);
    expect(ann.placedMean).toBeGreaterThan(7);
    ann.placed = 0;
    expect(shares.asked('ann', 8000).placedMean).toBeLessThan(0.5);
  });

  it('asks for a weight by the whole name of a tenant, however long it is', () => {
    const long = `arn:${'a'.repeat(500)}`;
    const shares = new RequestShares({ weight: (tenant) => (tenant === long ? 3 : 1) });
    expect(shares.asked(long, 0).weight).toBe(3);
  });

  it('lets no weight that fails later end the process', async () => {
    const warnings = emittedWarnings();
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const shares = new RequestShares({ weight: (() => Promise.reject(new Error('no table'))) as never });
    expect(shares.asked('ann', 0).weight).toBe(1);
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining('returned a promise') })]);
  });

  it.each([0, -1, 1_000_001, Number.POSITIVE_INFINITY, '3', undefined])('counts 1 for the weight %p', (weight) => {
    const warnings = emittedWarnings();
    expect(new RequestShares({ weight: () => weight as number }).asked('ann', 0).weight).toBe(1);
    expect(warnings).toHaveLength(1);
  });

  it('asks for a weight once, and counts 1 with a warning where there is none', () => {
    const warnings = emittedWarnings();
    const asked: string[] = [];
    const shares = new RequestShares({
      weight: (tenant) => {
        asked.push(tenant);
        return tenant === 'gold' ? 3 : Number.NaN;
      },
    });
    const weights = ['gold', 'gold', 'free'].map((tenant) => shares.asked(tenant, 0).weight);
    expect(weights).toEqual([3, 3, 1]);
    expect(asked).toEqual(['gold', 'free']);
    expect(warnings).toEqual([expect.objectContaining({ code: 'SLUICE_HOOK_FAILED' })]);
  });
});
