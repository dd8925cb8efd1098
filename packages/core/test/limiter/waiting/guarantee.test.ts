import { expect, it } from '@jest/globals';
import { createLimiter, createLine, everyone, type PolicyOptions } from '@sluice/core';
import { manualStore, settled } from '@sluice/test-kit/manual-store';

const PARTS: Readonly<Record<string, number>> = { ann: 3, bob: 2 };

function sharedLine() {
  const { store, clock } = manualStore();
  const limiter = createLimiter<string>({
    limit: 10,
    window: '1m',
    keyGenerator: everyone(),
    guarantee: { limit: (tenant) => PARTS[tenant] ?? 0, keyGenerator: (tenant) => tenant, total: 5 },
    store,
  } as PolicyOptions<[string], false>);
  return { limiter, clock };
}

it('A refused borrower delays no tenant that has units of its part left', async () => {
  const { limiter, clock } = sharedLine();
  while (limiter.consume('eve').allowed);
  const line = createLine({ limiter, size: 100, perKey: 100, order: 'fair' });
  const done: string[] = [];
  const wait = (tenant: string): void => {
    line.run(tenant, async () => done.push(tenant)).catch(() => {});
  };
  for (const tenant of ['eve', 'eve', 'ann', 'eve', 'bob', 'ann']) wait(tenant);
  await settled();
  expect([...done].sort()).toEqual(['ann', 'ann', 'bob']);
  expect(line.length).toBe(3);
  await clock.advance(60_000);
  await settled();
  expect(done).toHaveLength(6);
  line.close();
});

it('A waiting borrower is served when what it needs comes back', async () => {
  const { limiter, clock } = sharedLine();
  while (limiter.consume('eve').allowed);
  const waiting = limiter.wait('eve');
  clock.advance(60_000);
  await settled();
  expect((await waiting).tightest.guaranteed).toBe(false);
});
