import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, type PolicyMetrics, policyMetrics } from '@sluice/core';
import promClient from 'prom-client';
import { prometheusMetrics } from '../src/index.js';
import { MOST_PLACES, SeriesCap } from '../src/read/series-cap.js';
import { parseText, sumOf } from './parse-text.js';

/** Counters of a policy that has these limits, each of which allowed so many checks. */
function counters(policy: string, limits: Readonly<Record<string, number>>): PolicyMetrics {
  const durations = { upToMs: [10], counts: [1, 2], sumMs: 50 };
  const sources = { store: 1, local: 0, allow: 0, deny: 0 };
  return {
    policy,
    decisions: { allowed: sources, shadowed: sources, refused: sources },
    skipped: { skip: 1, allowList: 0, denyList: 2, unknown: 1, blocked: 0, refused: 2 },
    storeErrors: { timeout: 0, unavailable: 0, error: 1 },
    waiting: 1,
    waits: durations,
    limits: Object.entries(limits).map(([name, allowed]) => ({
      name,
      checks: { allowed, refused: 1, wouldRefuse: 0 },
      allowedByTenths: [allowed, 0],
      unitsSpent: allowed,
      unitsReturned: 0,
      slotsInUse: 1,
      hasSlots: true,
      delays: durations,
    })),
  };
}

const many = (count: number, limit = 'a') =>
  Array.from({ length: count }, (_, i) => counters(`policy ${i}`, { [limit]: 1 }));

describe('the cap of series', () => {
  it('leaves 1,000 limits as they are', () => {
    const all = many(MOST_PLACES);
    expect(new SeriesCap().apply(all)).toEqual({ counters: all, isCapped: false });
  });

  it('counts what is beyond together, and loses nothing', () => {
    const all = [
      ...many(MOST_PLACES),
      counters('late', { a: 5, b: 7 }),
      counters('later', {}),
      counters('last', { c: 1 }),
    ];
    const { counters: shown, isCapped } = new SeriesCap().apply(all);
    expect(isCapped).toBe(true);
    expect(shown).toHaveLength(MOST_PLACES + 1);
    expect(shown.at(-1)).toEqual({
      policy: 'other',
      decisions: {
        allowed: { store: 3, local: 0, allow: 0, deny: 0 },
        shadowed: { store: 3, local: 0, allow: 0, deny: 0 },
        refused: { store: 3, local: 0, allow: 0, deny: 0 },
      },
      skipped: { skip: 3, allowList: 0, denyList: 6, unknown: 3, blocked: 0, refused: 6 },
      storeErrors: { timeout: 0, unavailable: 0, error: 3 },
      waiting: 3,
      waits: { upToMs: [10], counts: [3, 6], sumMs: 150 },
      limits: [
        {
          name: 'other',
          checks: { allowed: 13, refused: 3, wouldRefuse: 0 },
          allowedByTenths: [13, 0],
          unitsSpent: 13,
          unitsReturned: 0,
          slotsInUse: 3,
          hasSlots: true,
          delays: { upToMs: [10], counts: [3, 6], sumMs: 150 },
        },
      ],
    });
  });

  it('counts limits together that a policy gets after all places are taken', () => {
    const cap = new SeriesCap();
    const all = many(MOST_PLACES);
    cap.apply(all);
    const { counters: shown, isCapped } = cap.apply([counters('policy 0', { a: 1, b: 2, c: 3 }), ...all.slice(1)]);
    expect(isCapped).toBe(true);
    expect(shown[0]?.limits.map(({ name, unitsSpent }) => [name, unitsSpent])).toEqual([
      ['a', 1],
      ['other', 5],
    ]);
  });

  it('keeps showing what it has shown, whatever comes later and first', () => {
    const cap = new SeriesCap();
    const first = many(10);
    cap.apply(first);
    const { counters: shown } = cap.apply([...many(MOST_PLACES, 'b').slice(10), ...first]);
    for (const own of first) expect(shown).toContainEqual(own);
  });

  it('keeps counting with the others what was counted with them once, whoever asks for its names', () => {
    const cap = new SeriesCap();
    const all = [...many(MOST_PLACES - 1), counters('wide', { a: 1, b: 1 })];
    const before = cap.apply(all).counters.at(-1);
    expect(cap.namesOf('wide', 'a')).toEqual(['other', 'other']);
    expect(cap.apply(all).counters.at(-1)).toEqual(before);
    expect(before).toMatchObject({ policy: 'other', decisions: { allowed: { store: 1 } } });
  });

  it('counts a policy that is really named "other" with the others, so that no series is there twice', () => {
    const cap = new SeriesCap();
    const named = counters('other', { other: 4 });
    expect(cap.apply([named])).toEqual({ counters: [named], isCapped: false });
    const { counters: shown } = cap.apply([named, ...many(MOST_PLACES)]);
    expect(shown.filter(({ policy }) => policy === 'other').map(({ decisions }) => decisions.allowed.store)).toEqual([
      2,
    ]);
  });

  it('bounds the text, and its sums stay those of all policies', async () => {
    const registry = new promClient.Registry();
    prometheusMetrics({ registry });
    const store = new MemoryStore();
    for (let i = 0; i < MOST_PLACES + 50; i += 1) {
      createLimiter({ name: `made ${i}`, store, limit: 1, window: '1m' }).consume('key');
    }
    const series = parseText(await registry.metrics());
    expect(policyMetrics()).toHaveLength(MOST_PLACES + 50);
    expect(sumOf(series, 'sluice_decisions_total')).toBe(MOST_PLACES + 50);
    expect(sumOf(series, 'sluice_decisions_total', { policy: 'other', outcome: 'allowed' })).toBe(50);
    expect(series.get('sluice_series_capped{}')).toBe(1);
    expect(series.size).toBeLessThan(MOST_PLACES * 27 + 50);
  });
});
