import { describe, expect, it } from '@jest/globals';
import { FragileStore } from '@sluice/conformance/src/adapter-suite/fragile-store';
import { concurrency, slidingWindow } from '@sluice/core';
import { createEnforcer, type HttpOptions, type HttpRequest } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';
import fc from 'fast-check';

type Args = [request: HttpRequest];

const host = { requestOf: (request: HttpRequest) => request };
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

/** One of several calls about one request object. */
interface Call {
  /** In which order the policies are asked. */
  readonly order: readonly number[];
  /** Whether all are asked at the same time, or one after the other. */
  readonly isParallel: boolean;
}

const THREE = [0, 1, 2];

const calls = fc.array(
  fc.record({
    order: fc.shuffledSubarray(THREE, { minLength: THREE.length, maxLength: THREE.length }),
    isParallel: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('Policies that are asked again and again about one request object', () => {
  const policiesWith = (limits: readonly number[], isAsync: boolean, name: string) =>
    limits.map((limit, i) => {
      const store = new FragileStore(new ManualClock(), isAsync);
      const options = { name: `${name}-${i}`, limit: slidingWindow({ limit, window: '1m' }), store };
      const { enforce, inspect } = createEnforcer<Args>(options, host);
      return {
        isAdmitted: async (request: HttpRequest) => (await enforce(request))?.refuse === undefined,
        used: async () => limit - ((await inspect(['ip', '203.0.113.7'])).verdicts[0]?.remaining ?? Number.NaN),
      };
    });
  const arbitraryLimits = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 3 });

  it('count each call that all of them admit, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLimits, calls, fc.boolean(), async (limits, all, isAsync) => {
        const policies = policiesWith(limits, isAsync, 'each');
        const request = newRequest();
        const ask = async ({ order, isParallel }: Call): Promise<boolean> => {
          const asked = order.map((i) => policies[i] as (typeof policies)[number]);
          if (isParallel) return (await Promise.all(asked.map((policy) => policy.isAdmitted(request)))).every(Boolean);
          let isAdmitted = true;
          for (const policy of asked) if (!(await policy.isAdmitted(request))) isAdmitted = false;
          return isAdmitted;
        };
        let admitted = 0;
        for (const call of all) if (await ask(call)) admitted += 1;
        expect(admitted).toBe(Math.min(all.length, ...limits));
        expect(await Promise.all(policies.map(({ used }) => used()))).toEqual(limits.map(() => admitted));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['at once', false],
    ['by promises', true],
  ])(
    'admit as many as the limit if the calls about one policy are made at the same time: it decides %s',
    async (_, isAsync) => {
      const [policy] = policiesWith([3], isAsync, 'alone');
      const request = newRequest();
      const admitted: boolean[] = [];
      for (let round = 0; round < 3; round += 1)
        admitted.push(...(await Promise.all(THREE.map(async () => policy?.isAdmitted(request)))).map(Boolean));
      expect(admitted.filter(Boolean)).toHaveLength(3);
      expect(await policy?.used()).toBe(3);
    },
  );

  it('keep the charges of earlier calls if the wait of a later one is given up, or its key cannot be read', async () => {
    const clock = new ManualClock();
    const store = new FragileStore(clock, false);
    const [request, key] = [newRequest(), { isBroken: false }];
    const { enforce, inspect } = createEnforcer<Args>(
      {
        limits: [{ limit: 3, window: '1m', slowDown: { after: 1, by: '1s', upTo: '5s' } }],
        store,
        keyGenerator: () => {
          if (key.isBroken) throw new Error('the directory is down');
          return 'ann';
        },
      },
      host,
    );
    const used = async () => (await inspect('ann')).verdicts[0]?.used;
    await enforce(request);
    const later = await enforce(request);
    expect(await used()).toBe(2);
    await expect(later?.turn?.(AbortSignal.abort('the client left'))).rejects.toBe('the client left');
    const kept = await used();
    key.isBroken = true;
    await expect((async () => enforce(request))()).rejects.toThrow('the directory is down');
    expect([kept, await used()]).toEqual([1, 1]);
  });
});
