import { describe, expect, it } from '@jest/globals';
import { concurrency, slidingWindow } from '@sluice/core';
import { createEnforcer, type HttpOptions, type HttpRequest } from '@sluice/core/http';
import fc from 'fast-check';
import { FragileStore } from '../../src/testing/adapter-suite/fragile-store.js';
import { ManualClock } from '../../src/testing/manual-clock.js';

type Args = [request: HttpRequest];

const host = { requestOf: (request: HttpRequest) => request, proxyTrust: () => undefined };
const TEN = slidingWindow({ limit: 10, window: '1m' });

const newRequest = (): HttpRequest => ({ method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' });

/** What makes a policy decide in its way. All but the first refuse the request. */
type Reason = Pick<HttpOptions<Args>, 'cost' | 'onLimitReached' | 'denyList' | 'keyGenerator' | 'onMissingKey'>;

const KINDS: Readonly<Record<string, Reason>> = {
  admits: {},
  'refuses by its limit': { cost: 11 },
  'refuses by its limit, with a hook': { cost: 11, onLimitReached: async () => {} },
  'denies the address': { denyList: ['203.0.113.7'] },
  'requires a key': { keyGenerator: () => undefined, onMissingKey: 401 },
};

/** One of several policies that are asked at the same time. */
interface Asked {
  readonly kind: string;
  readonly isAsync: boolean;
  readonly hasSlots: boolean;
  /** How many turns of the event loop pass until it is asked. */
  readonly turns: number;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  kind: fc.constantFrom(...Object.keys(KINDS)),
  isAsync: fc.boolean(),
  hasSlots: fc.boolean(),
  turns: fc.nat(3),
});

const policyOf = ({ kind, isAsync, hasSlots, turns }: Asked, i: number, clock: ManualClock) => {
  const store = new FragileStore(clock, isAsync);
  const limits = hasSlots ? [TEN, concurrency({ limit: 10, lease: '30s' })] : [TEN];
  const { enforce, inspect } = createEnforcer<Args>({ name: `policy-${i}`, store, limits, ...KINDS[kind] }, host);
  return {
    ask: async (request: HttpRequest) => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const enforcement = await enforce(request);
      return enforcement?.refuse ? 'refused' : 'admitted';
    },
    usedUnits: async () => {
      const verdicts = (await inspect(['ip', '203.0.113.7'])).verdicts;
      return verdicts.reduce((sum, { limit, remaining }) => sum + limit.quota - remaining, 0);
    },
  };
};

describe('Policies that are asked at the same time about one request', () => {
  it('spend nothing if one of them refuses it, in whatever order they decide', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 2, maxLength: 4 }), async (all) => {
        const clock = new ManualClock();
        const policies = all.map((one, i) => policyOf(one, i, clock));
        const request = newRequest();
        const results = await Promise.all(policies.map(({ ask }) => ask(request)));
        const isRefused = results.includes('refused');
        const used = await Promise.all(policies.map(({ usedUnits }) => usedUnits()));
        const expected = all.map(({ hasSlots }) => (isRefused ? 0 : hasSlots ? 2 : 1));
        expect(used).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('count the request again if the application asks the one that refused it again, and it admits', async () => {
    const clock = new ManualClock();
    const store = new FragileStore(clock, false);
    const { enforce, inspect } = createEnforcer<Args>({ limit: 1, window: '1m', store }, host);
    const request = newRequest();
    await enforce(newRequest());
    expect((await enforce(request))?.refuse).toBeDefined();
    clock.advance('1m');
    expect((await enforce(request))?.refuse).toBeUndefined();
    expect((await inspect(['ip', '203.0.113.7'])).verdicts.map(({ remaining }) => remaining)).toEqual([0]);
  });
});
