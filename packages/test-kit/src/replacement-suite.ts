import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoreClaims } from '@sluice/conformance';
import {
  concurrency,
  createLimiter,
  createLine,
  type Decision,
  fixedWindow,
  type Limit,
  type PolicyOptions,
  replacePolicy,
  type Store,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from '@sluice/core';
import { itCounting } from './store-claims.js';

type Options = PolicyOptions<[subject: string]>;

const LIMITS: readonly (readonly [what: string, limitOf: (quota: number) => Limit])[] = [
  ['a sliding window', (limit) => slidingWindow({ limit, window: '1h' })],
  ['a sliding window counter', (limit) => slidingWindowCounter({ limit, window: '1h' })],
  ['a fixed window', (limit) => fixedWindow({ limit, window: '1h' })],
  ['a token bucket', (capacity) => tokenBucket({ capacity, refillRate: 0 })],
];

/** How often a policy is replaced while requests for one key run, and how many requests run while two replace each other. */
const [RELOADS, REQUESTS, SWAPS] = process.env.SLUICE_RELOADS === 'full' ? [1000, 10_000, 100] : [200, 1000, 50];

/**
 * Tests that a policy can be replaced while requests run, over any store.
 *
 * @param make - returns an empty store each time
 * @param claims - which limits the store counts
 */
export function replacementSuite(name: string, make: () => Store | Promise<Store>, claims: StoreClaims): void {
  let store: Store;

  beforeEach(async () => {
    store = await make();
  });

  afterEach(() => store.close());

  describe(`Over ${name}, a policy that is replaced`, () => {
    for (const [what, limitOf] of LIMITS) {
      itCounting(claims, limitOf(10))(
        `keeps what was spent, and corrects what was reserved, under ${what}`,
        async () => {
          const options: Options = { name: 'api', limit: limitOf(10), store };
          const limiter = createLimiter(options);
          await limiter.consume('ann', { cost: 5 });
          const [first, second] = [await limiter.reserve('ann'), await limiter.reserve('ann')];
          replacePolicy(options, { limit: limitOf(40) });
          const before = (await limiter.peek('ann')).tightest;
          expect([before.remaining > 0, before.limit.quota]).toEqual([true, 40]);
          await limiter.charge('ann', { cost: 20 });
          await first.settle(3);
          await second.cancel();
          const after = (await limiter.peek('ann')).tightest;
          expect(after.used - before.used).toBe(20 + 2 - 1);
          replacePolicy(options, { limit: limitOf(5) });
          const { allowed, tightest } = await limiter.consume('ann');
          expect(allowed && tightest.limit.algorithm !== 'token-bucket').toBe(false);
        },
      );
    }

    const slots = (limit: number, lease: '30s' | '3s') => concurrency({ limit, lease });
    itCounting(claims, slots(3, '30s'))('counts slots that are held, and frees them', async () => {
      const options: Options = { name: 'jobs', limit: slots(3, '30s'), store };
      const limiter = createLimiter(options);
      const held = [await limiter.reserve('ann'), await limiter.reserve('ann')];
      replacePolicy(options, { limit: slots(2, '3s') });
      expect((await limiter.reserve('ann')).allowed).toBe(false);
      await held[0]?.release();
      const another = await limiter.reserve('ann');
      expect([another.allowed, (await limiter.reserve('ann')).allowed]).toEqual([true, false]);
      await held[1]?.release();
      await another.release();
      expect((await limiter.peek('ann')).tightest.remaining).toBe(2);
    });

    it('admits those who wait, in their order, as soon as there is room, and refuses those who never get in', async () => {
      const options: Options = { name: 'jobs', limit: 1, window: '1h', store };
      const limiter = createLimiter(options);
      const line = createLine({ limiter });
      const done: number[] = [];
      const runs = [0, 1, 2, 3].map((i) => line.run('ann', () => done.push(i)));
      await runs[0];
      replacePolicy(options, { limit: 4, window: '1h' });
      await Promise.all(runs);
      const never = expect(line.run('ann', () => done.push(9), { cost: 4 })).rejects.toMatchObject({
        code: 'SLUICE_REFUSED',
        retryAfterMs: 'never',
      });
      replacePolicy(options, { limit: 3, window: '1h' });
      await never;
      expect(done).toEqual([0, 1, 2, 3]);
    });

    it('believes no refusal of the policy before', async () => {
      const options: Options = { name: 'api', limit: 1, window: '1h', store };
      const limiter = createLimiter(options);
      for (let i = 0; i < 3; i += 1) await limiter.consume('ann');
      replacePolicy(options, { limit: 2, window: '1h' });
      expect((await limiter.consume('ann')).allowed).toBe(true);
    });

    it.each<[what: string, limitAt: (reload: number) => number, most: number]>([
      ['the same numbers', () => 100, 100],
      ['changing numbers', (reload) => 60 + ((reload * 37) % 81), 140],
    ])('never admits more than its largest limit, however often it is loaded with %s', async (_, limitAt, most) => {
      const options: Options = { name: 'api', limit: limitAt(0), window: '1h', store };
      const limiter = createLimiter(options);
      const running: (Decision | PromiseLike<Decision>)[] = [];
      for (let reload = 1; reload <= RELOADS; reload += 1) {
        running.push(limiter.consume('ann'), limiter.consume('ann'));
        replacePolicy(options, { limit: limitAt(reload), window: '1h' });
        if (reload % 50 === 0) await running.at(-1);
      }
      const decisions = await Promise.all(running);
      const admitted = decisions.filter(({ allowed }) => allowed);
      expect(admitted).toHaveLength(most);
      expect(decisions.every(({ source }) => source === 'store')).toBe(true);
    });

    it('decides each request by the old policy or the new one, and never by parts of both', async () => {
      const policies = [
        {
          limits: [
            { name: 'minute', limit: 50, window: '1h', cost: 1 },
            { name: 'day', limit: 70, window: '24h', cost: 1 },
          ],
        },
        {
          limits: [
            { name: 'day', limit: 90, window: '24h', cost: 3 },
            { name: 'burst', limit: tokenBucket({ capacity: 40, refillRate: 0 }), cost: 2 },
            { name: 'minute', limit: 60, window: '1h', cost: 2 },
          ],
        },
      ] satisfies Pick<Options, 'limits'>[];
      const options: Options = { name: 'api', store, ...(policies[0] as Pick<Options, 'limits'>) } as Options;
      const limiter = createLimiter(options);
      const signatures = new Set<string>();
      const running: PromiseLike<void>[] = [];
      const note = ({ verdicts }: Decision): void => {
        signatures.add(verdicts.map(({ name, limit, cost }) => `${name} ${limit.quota} ${cost}`).join(', '));
      };
      for (let i = 0; i < REQUESTS; i += 1) {
        running.push(Promise.resolve(limiter.consume(`client ${i % 7}`)).then(note));
        const swap = (i * SWAPS) / REQUESTS;
        if (Number.isInteger(swap)) replacePolicy(options, policies[swap % 2] as Options);
        if (i % 100 === 99) await running.at(-1);
      }
      await Promise.all(running);
      expect([...signatures].sort()).toEqual(['day 90 3, burst 40 2, minute 60 2', 'minute 50 1, day 70 1']);
    });
  });
}
