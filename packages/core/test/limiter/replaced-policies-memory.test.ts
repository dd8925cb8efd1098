import { expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, replacePolicy, type Store } from '@sluice/core';
import { createEnforcer, type HttpRequest } from '@sluice/core/http';
import { protectStore } from '@sluice/core/store';
import { asyncStore } from '@sluice/test-kit/async-store';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { CHANGES, keptBytes, MOST_KEPT_BYTES } from '@sluice/test-kit/kept-bytes';

it.each([
  ['with the names of its limits', () => 'hour'],
  ['with a new name of a limit each time', (i: number) => `hour ${i}`],
])(
  `${CHANGES} replacements of a policy %s keep at most 100 KB`,
  async (way, nameOf) => {
    const store = closedAfterTest(new MemoryStore({ maxKeys: 10 }));
    const least = await keptBytes((round) => {
      const options = {
        name: `${way}, ${round}`,
        limits: [{ name: 'first', limit: 10, window: '1h' }],
        store,
      } as const;
      const limiter = createLimiter(options);
      return (i) => {
        replacePolicy(options, { limits: [{ name: nameOf(i), limit: 10 + i, window: '1h' }] });
        limiter.consume('ann');
      };
    });
    expect(least).toBeLessThanOrEqual(MOST_KEPT_BYTES);
  },
  60_000,
);

const HOUR = { limit: 1_000_000, window: '1h' } as const;

const STORES: Readonly<Record<string, () => Store>> = {
  'in memory': () => new MemoryStore({ maxKeys: 10 }),
  'behind a network': () => ({
    ...asyncStore({ maxKeys: 10 }),
    remote: { timeoutMs: 1000, instances: 1, protect: protectStore },
  }),
};

/** Builds something again for an owner, and uses it once. */
const BUILDS: Readonly<Record<string, (options: { name: string; store: Store }, owner: object) => unknown>> = {
  limiters: (options, owner) => createLimiter({ ...HOUR, ...options }, owner).consume('ann'),
  'limiters that wait': (options, owner) => createLimiter({ ...HOUR, ...options }, owner).wait('ann'),
  'middlewares whose requests may wait': (options, owner) => {
    const host = { requestOf: (request: HttpRequest) => request };
    const enforcer = createEnforcer<[HttpRequest]>({ ...HOUR, ...options, maxWait: '1s' }, host, owner);
    return enforcer.enforce({ method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' });
  },
};

it.each(Object.keys(STORES).flatMap((place) => Object.keys(BUILDS).map((what) => [what, place] as const)))(
  `${CHANGES} %s that are built again for one owner keep at most 100 KB: %s`,
  async (what, place) => {
    const store = closedAfterTest((STORES[place] as () => Store)());
    const [owner, build] = [{}, BUILDS[what] as (typeof BUILDS)[string]];
    const least = await keptBytes(() => () => build({ name: 'api', store }, owner));
    expect(least).toBeLessThanOrEqual(MOST_KEPT_BYTES);
  },
  60_000,
);
