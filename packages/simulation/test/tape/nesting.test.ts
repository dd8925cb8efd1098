import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { leakyBucket } from '@sluice/core';
import { FEATURE_NAMES, FEATURES, featureOver, nestingOf, type StoreTree } from '../../src/tape/nesting.js';
import { limiterOf, SCENARIOS, type Scenario } from './feature-scenarios.js';
import { featureTable, nestingTable, refusalTable } from './nesting-page.js';
import { made, outcomeOf, played, refused } from './played.js';
import { StoreFixture } from './store-fixture.js';
import { basesOf, listed, TREES } from './trees.js';

const PAGE = readFileSync(join(__dirname, '../../../core/docs/stores.md'), 'utf8');

/** Far from its limit, a store in front decides by itself. */
const PLAIN: Scenario = { options: { limit: 10_000, window: '1m' }, play: async () => {} };

describe('The table of nesting', () => {
  it.each(listed(TREES))('says whether %s can be made', (_, tree) => {
    expect(made(tree)).toEqual(outcomeOf(nestingOf(tree)));
  });
});

const MADE = TREES.filter((tree) => nestingOf(tree) === 'allowed');

/** Those that decide without a server. */
const COUNTING = MADE.filter((tree) => basesOf(tree).every(({ kind }) => kind === 'memory' || kind === 'table'));

describe.each(listed(COUNTING))('The table of features of %s', (_, tree) => {
  it.each(FEATURE_NAMES)('says what becomes of %s', async (feature) => {
    for (const scenario of SCENARIOS[feature]) {
      expect(await played(scenario, tree)).toEqual(outcomeOf(featureOver(feature, tree)));
    }
  });
});

describe.each(listed(MADE.filter((tree) => !COUNTING.includes(tree))))('The table of features of %s', (_, tree) => {
  it.each(FEATURE_NAMES)('says whether a policy with %s can be made', async (feature) => {
    const cell = featureOver(feature, tree);
    const expected = cell !== 'allowed' && cell.refusedAt === 'policy' ? outcomeOf(cell) : 'allowed';
    for (const { options } of SCENARIOS[feature]) {
      expect(await played({ options, play: async () => {} }, tree)).toEqual(expected);
    }
  });

  it('lets keys be blocked by hand', () => {
    expect(new StoreFixture().make(tree).blocks).toBeDefined();
  });
});

it('A cluster refuses leaky buckets of several subjects with the first request', async () => {
  const limit = leakyBucket({ capacity: 5, leakRate: 1 });
  const checks = ['ann', 'bob'].map((key) => ({ policy: 'api', name: key, key, limit, cost: 1 }));
  const store = new StoreFixture().make({ kind: 'cluster' });
  const error = await Promise.resolve(store.consume({ checks })).catch((thrown: unknown) => thrown);
  expect(refused('request', error)).toEqual(
    outcomeOf(featureOver('leaky-buckets-of-several-subjects', { kind: 'cluster' })),
  );
});

describe('A sharded store of one node', () => {
  const tree: StoreTree = { kind: 'sharded', nodes: [{ kind: 'table' }] };

  it.each(['guarantee', 'leaky-buckets-of-several-subjects'] as const)('allows %s', async (feature) => {
    expect(featureOver(feature, tree)).toBe('allowed');
    for (const scenario of SCENARIOS[feature]) expect(await played(scenario, tree)).toBe('allowed');
  });
});

describe.each(['leased', 'synced'] as const)('A %s store', (kind) => {
  /** How often so many admitted requests read the database. */
  const readsOf = async (scenario: Scenario, requests: number, isNamed = false): Promise<number> => {
    const fixture = new StoreFixture();
    const store = fixture.make({ kind, of: { kind: 'table' } });
    const { limiter } = limiterOf(scenario, store);
    for (let i = 0; i < requests; i += 1) await limiter.consume('ann', isNamed ? { id: `job-${i}` } : {});
    const { reads = 0 } = fixture.tables[0] ?? {};
    await store.close();
    return reads;
  };

  it('decides most requests in the process', async () => {
    expect(await readsOf(PLAIN, 20)).toBeLessThan(10);
  });

  it.each(FEATURE_NAMES.filter((feature) => 'isPassedOn' in FEATURES[feature]))(
    'asks the store behind it about every request with %s',
    async (feature) => {
      const isNamed = feature === 'operation';
      for (const scenario of SCENARIOS[feature]) expect(await readsOf(scenario, 4, isNamed)).toBeGreaterThanOrEqual(4);
    },
  );
});

describe('The page of stores', () => {
  it('shows the table of nesting', () => {
    expect(PAGE).toContain(nestingTable());
  });

  it('shows the table of features', () => {
    expect(PAGE).toContain(featureTable());
  });

  it('says who refuses what, when and why', () => {
    expect(PAGE).toContain(refusalTable());
  });
});
