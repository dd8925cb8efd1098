import assert from 'node:assert/strict';
import { expect, it } from '@jest/globals';
import { fixedWindow, type Limit, type LimitCheck, type StoreRequest, type StoreResponse } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { plainLimits } from '@sluice/test-kit/arbitrary-limit';
import type { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { withMovableClock } from '@sluice/test-kit/redis/with-movable-clock';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';
import { CountedScripts } from './counted-scripts.js';

/** Without `SLUICE_RUNS`, the scenes are the same every time. With it, that many new ones are played. */
const SEED = 20_261_123;

let redis: Redis;
let serverClock: MovableClock;

withMovableClock((...given) => {
  [redis, serverClock] = given;
});

/** Around the costs that take one byte, around those that take half of a number, and the largest one. */
const LARGE_COSTS = [126, 127, 128, 2 ** 28 - 1, 2 ** 28, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER];

/** Asks of one moment about the limits of a scene, after so many milliseconds. */
interface Moment {
  readonly afterMs: number;
  readonly asks: readonly RequestPlan[];
  /** Units that are charged or given back before, by another process. */
  readonly correction: number | undefined;
  /** Which of its variants each limit has from now on. */
  readonly variant: number;
}

interface RequestPlan {
  readonly costs: readonly number[];
  /** In thousandths of the quotas; 0 for none. */
  readonly margins: readonly number[];
  /** How many of the limits are asked. */
  readonly count: number;
  readonly subject: string;
  readonly deadlineMs: number | undefined;
}

const { concurrency: _, ...limitsByAlgorithm } = plainLimits;
const isNumeric = ({ quota, calendar, byInterval, keepForMs }: Limit): boolean =>
  quota > 0 && !calendar && !byInterval && keepForMs === undefined;
const variants = fc.oneof(
  ...Object.values(limitsByAlgorithm).map((limit) =>
    fc.array(limit.filter(isNumeric), { minLength: 1, maxLength: 2, size: 'max' }),
  ),
);
const most = 3;
const each = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: most, maxLength: most });
const askPlan: fc.Arbitrary<RequestPlan> = fc.record({
  costs: each(
    fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.nat(200), fc.constantFrom(...LARGE_COSTS)),
  ),
  margins: each(fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: -1000, max: 1000 }))),
  count: fc.integer({ min: 1, max: most }),
  subject: fc.constantFrom('ann', 'ann', 'ben'),
  deadlineMs: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constantFrom(-1, 0, 1)),
});
const loneAskOf = (counts: readonly number[]) =>
  fc.tuple(fc.constantFrom(...counts), askPlan).map(([count, plan]) => ({ ...plan, count, margins: [0, 0, 0] }));
const momentOf = (asks: fc.Arbitrary<readonly RequestPlan[]>): fc.Arbitrary<Moment> =>
  fc.record({
    afterMs: fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 0, max: 90_000_000 }),
    ),
    asks,
    correction: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.integer({ min: -9, max: 9 })),
    variant: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constant(1)),
  });
const sceneOf = (asks: fc.Arbitrary<readonly RequestPlan[]>) =>
  fc.record({
    limits: each(variants),
    moments: fc.array(momentOf(asks), { minLength: 1, maxLength: 40, size: 'max' }),
  });
const scenes = sceneOf(fc.array(askPlan, { minLength: 1, maxLength: 4 }));
const loneScenes = sceneOf(fc.tuple(loneAskOf([1])));
const loneScenesOfSeveral = sceneOf(fc.tuple(loneAskOf([2, 3])));

/** A request and the one that needs kernels: an id has no meaning here, but asks with one are not numeric. */
function asksOf(
  plan: RequestPlan,
  limits: readonly Limit[],
  nowMs: number,
): readonly [numeric: StoreRequest, general: StoreRequest] {
  const checks = limits.slice(0, plan.count).map((limit, i): LimitCheck => {
    const margin = Math.floor((limit.quota * (plan.margins[i] as number)) / 1000);
    const cost = plan.costs[i] as number;
    return { policy: 'p', name: `n${i}`, key: plan.subject, limit, cost, ...(margin !== 0 && { margin }) };
  });
  const ask = { checks, ...(plan.deadlineMs !== undefined && { notAfterMs: nowMs + plan.deadlineMs }) };
  return [ask, { ...ask, id: 'general' }];
}

const outcomeOf = (reply: PromiseLike<StoreResponse>): PromiseLike<unknown> =>
  reply.then(undefined, ({ code }) => code);

/** Returns the keys of each prefix with their texts and times to live: in one call, because a look follows each moment. */
const LOOK = `
local found = {}
for i, prefix in ipairs(ARGV) do
  found[i] = {}
  for _, key in ipairs(redis.call('KEYS', prefix .. '*')) do
    table.insert(found[i], { key, redis.call('GET', key), redis.call('PTTL', key) })
  end
end
return found`;

/** All states of stores by their keys, and when they end. */
async function statesOf(...prefixes: readonly string[]): Promise<Map<string, unknown>[]> {
  const found = (await redis.callBuffer('EVAL', [LOOK, '0', ...prefixes])) as [Buffer, Buffer, number][][];
  return found.map((states, i) => {
    const from = prefixes[i]?.length;
    const named = states.map(([key, text, ttlMs]): [string, unknown] => {
      const name = key.toString().slice(from);
      const bytes = text.toString('hex');
      return [name, [bytes, ttlMs]];
    });
    return new Map(named);
  });
}

async function assertSameStates(): Promise<void> {
  const [numeric, general] = (await statesOf('numeric:', 'general:')) as [Map<string, unknown>, Map<string, unknown>];
  assert.deepStrictEqual(numeric, general);
}

it.each([
  ['with a clock that is passed', true, scenes, 15, 1],
  ['with the time of the server', false, scenes, 15, 1],
  ['alone, with a clock that is passed', true, loneScenes, 30, 1 / 2],
  ['alone, with the time of the server', false, loneScenes, 30, 1 / 2],
  ['alone, about several limits, with a clock that is passed', true, loneScenesOfSeveral, 30, 0.97],
  ['alone, about several limits, with the time of the server', false, loneScenesOfSeveral, 30, 0.97],
])(
  'A numeric request gets the same reply, and leaves the same state, as from the kernels: %s',
  async (_name, isPassed, scenes, numRuns, mostLater) => {
    const clock = new ManualClock(Date.UTC(2026, 10, 23));
    const counted = new CountedScripts(redis);
    const clockOption = isPassed && { clock };
    const wanted = process.env.SLUICE_RUNS;
    await fc.assert(
      fc.asyncProperty(scenes, async ({ limits, moments }) => {
        const numeric = new RedisStore({ client: counted.client, prefix: 'numeric:', ...clockOption, timeout: '10s' });
        const general = new RedisStore({ client: redis, prefix: 'general:', ...clockOption, timeout: '10s' });
        // Back to the time of this test before the look at what is left: `KEYS` does not name what has ended by a later time.
        serverClock.standAt(clock.now());
        await redis.del('none', ...(await redis.keys('*:*')));
        for (const { afterMs, asks, correction, variant } of moments) {
          clock.set(clock.now() + afterMs);
          serverClock.standAt(clock.now());
          const chosen = limits.map((variants) => variants[variant % variants.length] as Limit);
          if (correction !== undefined) {
            const checks = chosen.map((limit, i) => ({
              policy: 'p',
              name: `n${i}`,
              key: 'ann',
              limit,
              cost: correction,
            }));
            const [made, expected] = await Promise.all([numeric.adjust({ checks }), general.adjust({ checks })]);
            assert.deepEqual(made, expected);
          }
          const pairs = asks.map((plan) => asksOf(plan, chosen, clock.now()));
          const asked = pairs.map(([ask]) => outcomeOf(numeric.consume(ask)));
          const expected = pairs.map(([, ask]) => outcomeOf(general.consume(ask)));
          const [replies, expectedReplies] = await Promise.all([Promise.all(asked), Promise.all(expected)]);
          assert.deepStrictEqual(replies, expectedReplies);
          await assertSameStates();
        }
      }),
      wanted === undefined ? { numRuns, seed: SEED } : { numRuns: Number(wanted) },
    );
    // Other calls have a request that costs nothing or comes too late, or meet a state of another limit.
    const generalCalls = await counted.generalCalls();
    expect(generalCalls).toBeGreaterThan(counted.calls / 20);
    expect(generalCalls).toBeLessThan(counted.calls / 3);
    // Alone, most asks are decided by single-request-path.lua: those without a delay or a debt.
    expect(await counted.laterCalls()).toBeLessThan(counted.calls * mostLater);
  },
  600_000_000,
);

it.each([1, 2, 3])(
  'The costs of a request that is alone are exact, around those that take one byte: %i limits',
  async (count) => {
    const clock = new ManualClock(Date.UTC(2026, 10, 23));
    const store = new RedisStore({ client: redis, prefix: `costs${count}:`, clock, timeout: '10s' });
    const limit = fixedWindow({ limit: 1_000_000, window: '1h' });
    let used = 0;
    for (const cost of [1, 126, 127, 128, 255, 10_000]) {
      const checks = Array.from({ length: count }, (_, i) => ({ policy: 'p', name: `n${i}`, key: 'ann', limit, cost }));
      const { verdicts } = await store.consume({ checks });
      used += cost;
      const expected = { cost, allowed: true, used, remaining: 1_000_000 - used };
      expect(verdicts).toMatchObject(new Array(count).fill(expected));
    }
  },
);

it('The time of the server is a whole number of milliseconds', async () => {
  serverClock.runAhead(0);
  const store = new RedisStore({ client: redis, prefix: 'time:', timeout: '10s' });
  const limit = fixedWindow({ limit: 10, window: '1h', align: 'first-request' });
  for (let i = 0; i < 10; i += 1) {
    const { atMs } = await store.consume({ checks: [{ policy: 'p', name: 'n', key: `${i}`, limit, cost: 1 }] });
    expect(Number.isSafeInteger(atMs)).toBe(true);
  }
});
