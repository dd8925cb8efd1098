import '@sluice/core/calendars';
import assert from 'node:assert/strict';
import {
  type Charge,
  chargeOf,
  concurrency,
  createLimiter,
  createLine,
  everyone,
  fixedWindow,
  type Limiter,
  leakyBucket,
  type PolicyOptions,
  type Reservation,
  replacePolicy,
  type Store,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import type { FeatureName } from '../../src/tape/nesting.js';
import type { StoreFixture } from './store-fixture.js';

type Options = PolicyOptions<[subject: string]>;

/** A policy with the feature, and requests that show that it works. */
export interface Scenario {
  readonly options: Options;
  /** Throws an AssertionError if the feature does not work. */
  readonly play: (limiter: Limiter, context: Context) => Promise<void>;
}

/** What a scenario has beside its limiter. */
export interface Context extends Limited {
  readonly store: Store;
  readonly fixture: StoreFixture;
}

const MINUTE = '1m';
const FIVE = slidingWindow({ limit: 5, window: MINUTE });

/** How many of so many requests are admitted. */
async function admitted(limiter: Limiter, requests: number, subject = 'ann'): Promise<number> {
  let count = 0;
  for (let i = 0; i < requests; i += 1) if ((await limiter.consume(subject)).allowed) count += 1;
  return count;
}

async function left(limiter: Limiter, subject = 'ann'): Promise<number> {
  return (await limiter.peek(subject)).tightest.remaining;
}

function admits(options: Options, expected: number, requests = 3 * expected): Scenario {
  return {
    options,
    play: async (limiter) => assert.equal(await admitted(limiter, requests), expected),
  };
}

/** A bucket in front of which units are leased is smaller by what refills in a lease. */
function admitsAbout(options: Options, expected: number): Scenario {
  return {
    options,
    play: async (limiter) => {
      const count = await admitted(limiter, 3 * expected);
      assert.ok(count === expected || count === expected - 1, `${count} were admitted`);
    },
  };
}

/** Lets what is under way end, and time pass, until the work is done. */
async function untilDone<T>(work: Promise<T>, { fixture }: Context): Promise<T> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  ended.catch(() => {});
  for (let i = 0; !isDone; i += 1) {
    assert.ok(i < 5000, 'it does not end');
    await fixture.turn();
    if (i % 10 === 9) fixture.clock.advance('5s');
  }
  return ended;
}

const leaky = (name: string) => leakyBucket({ name, capacity: 5, leakRate: 1 });

/** By the feature; each of the scenarios has it. */
export const SCENARIOS: Readonly<Record<FeatureName, readonly Scenario[]>> = {
  'sliding-window': [admits({ limit: FIVE }, 5), admits({ limit: 5, window: MINUTE }, 5)],
  'sliding-window-log': [admits({ limit: slidingWindowLog({ limit: 5, window: MINUTE }) }, 5)],
  'fixed-window': [
    admits({ limit: fixedWindow({ limit: 5, window: MINUTE }) }, 5),
    admits({ limit: fixedWindow({ limit: 5, window: MINUTE, align: 'clock' }) }, 5),
    admits({ limit: fixedWindow({ limit: 5, window: { unit: 'day', timeZone: 'UTC' } }) }, 5),
  ],
  'token-bucket': [admitsAbout({ limit: tokenBucket({ capacity: 5, refillRate: 1 }) }, 5)],
  'bucket-without-refill': [admits({ limit: tokenBucket({ capacity: 5, refillRate: 0 }) }, 5)],
  'bucket-refilled-within-lease': [admits({ limit: tokenBucket({ capacity: 5, refillRate: 50 }) }, 5)],
  'sliding-window-counter': [admits({ limit: slidingWindowCounter({ limit: 5, window: MINUTE }) }, 5)],
  'leaky-bucket': [
    admits({ limit: leaky('queue') }, 5),
    // The bucket is on one server, whichever it is, and the other limit may be on another.
    admits({ limits: [{ limit: leaky('queue') }, { limit: FIVE, keyGenerator: everyone() }] }, 5),
  ],
  'leaky-buckets-of-several-subjects': [
    {
      options: { limits: [{ limit: leaky('own') }, { limit: leaky('all'), keyGenerator: everyone() }] },
      play: async (limiter) => {
        let count = 0;
        for (let i = 0; i < 20; i += 1) if ((await limiter.consume(`user-${i}`)).allowed) count += 1;
        assert.equal(count, 5);
      },
    },
  ],
  concurrency: [
    {
      options: { limit: concurrency({ limit: 2, lease: '10s' }) },
      play: async (limiter) => {
        const [first, second, third] = [await reserved(limiter), await reserved(limiter), await reserved(limiter)];
        assert.deepEqual([first.allowed, second.allowed, third.allowed], [true, true, false]);
        await first.settle();
        const fourth = await reserved(limiter);
        assert.equal(fourth.allowed, true);
        await Promise.all([second.settle(), fourth.settle()]);
      },
    },
  ],
  tier: [
    {
      options: { limit: (subject) => (subject === 'vip' ? unlimited() : FIVE) },
      play: async (limiter) => {
        assert.equal(await admitted(limiter, 10), 5);
        assert.equal(await admitted(limiter, 10, 'vip'), 10);
      },
    },
    admits({ limits: [FIVE, { name: 'none', limit: unlimited() }] }, 5),
    admits({ limit: () => 5, window: MINUTE }, 5),
  ],
  'tier-of-unleasable': [
    admits({ limit: () => leaky('queue') }, 5),
    admits({ limit: () => slidingWindowCounter({ limit: 5, window: MINUTE }) }, 5),
    {
      options: { limit: () => concurrency({ limit: 2, lease: '10s' }) },
      play: async (limiter) => {
        const reservation = await reserved(limiter);
        assert.equal(reservation.allowed, true);
        await reservation.settle();
      },
    },
  ],
  'several-subjects': [
    {
      options: {
        limits: [
          { name: 'own', limit: 2, window: MINUTE },
          { name: 'all', limit: 5, window: MINUTE, keyGenerator: everyone() },
        ],
      },
      play: async (limiter) => {
        let count = 0;
        for (let i = 0; i < 20; i += 1) count += await admitted(limiter, 1, `user-${i % 8}`);
        assert.equal(count, 5);
        const { verdicts } = await limiter.peek('user-7');
        // What a limit refused, the others have not spent.
        assert.deepEqual(
          verdicts.map(({ remaining }) => remaining),
          [2, 0],
        );
      },
    },
  ],
  'different-costs': [
    admits(
      {
        limits: [
          { name: 'requests', limit: 10, window: MINUTE },
          { name: 'units', limit: 10, window: MINUTE, cost: 2 },
        ],
      },
      5,
    ),
  ],
  'count-rejected': [
    admits({ limit: slidingWindow({ limit: 5, window: MINUTE, countRejected: true }) }, 5),
    admits({ limit: slidingWindow({ limit: 5, window: MINUTE, countRejected: 'always' }) }, 5),
  ],
  'block-duration': [
    {
      options: { limit: slidingWindow({ limit: 5, window: MINUTE, blockDuration: { first: '1h', max: '2h' } }) },
      play: async (limiter, { fixture }) => {
        assert.equal(await admitted(limiter, 10), 5);
        fixture.clock.advance('30m');
        assert.equal(await admitted(limiter, 10), 0);
        fixture.clock.advance('31m');
        assert.equal(await admitted(limiter, 10), 5);
      },
    },
  ],
  shadow: [
    {
      options: { limits: [{ name: 'tried', limit: 2, window: MINUTE, enforce: 0 }, FIVE] },
      play: async (limiter) => {
        assert.equal(await admitted(limiter, 10), 5);
        const { verdicts } = await limiter.peek('ann');
        assert.deepEqual(
          verdicts.map(({ allowed }) => allowed),
          [false, false],
        );
      },
    },
  ],
  margins: [
    admits({ limit: 10, window: MINUTE, tolerance: 0.5 }, 15),
    admits({ limit: 10, window: MINUTE, elastic: { upTo: 20, while: { isCalm: true } } }, 20),
    admits({ limit: 10, window: MINUTE, headroom: { normal: 0.5 } }, 5),
  ],
  guarantee: [
    {
      options: {
        limit: 10,
        window: MINUTE,
        keyGenerator: everyone(),
        guarantee: { limit: (subject) => (subject === 'ann' ? 3 : 0), keyGenerator: (subject) => subject, total: 3 },
      },
      play: async (limiter) => {
        assert.equal(await admitted(limiter, 20, 'eve'), 7);
        assert.equal(await admitted(limiter, 20, 'ann'), 3);
      },
    },
  ],
  'slow-down': [
    {
      options: { limit: 10, window: MINUTE, slowDown: { after: 2, by: '100ms', upTo: '1s' } },
      play: async (limiter) => {
        const delays: number[] = [];
        for (let i = 0; i < 4; i += 1) delays.push((await limiter.consume('ann')).delayMs);
        assert.deepEqual(delays, [0, 0, 100, 200]);
      },
    },
  ],
  'on-store-error': (['local', 'allow', 'deny'] as const).map((onStoreError) => ({
    options: { limit: FIVE, onStoreError },
    play: async (limiter, { fixture }) => {
      if (fixture.tables.length === 0) return;
      for (const table of fixture.tables) table.isDown = true;
      assert.equal(await admitted(limiter, 10), { local: 5, allow: 10, deny: 0 }[onStoreError]);
      for (const table of fixture.tables) table.isDown = false;
    },
  })),
  'replace-policy': [
    {
      options: { limit: FIVE },
      play: async (limiter, { options }) => {
        assert.equal(await admitted(limiter, 10), 5);
        replacePolicy(options, { limit: slidingWindow({ limit: 8, window: MINUTE }) });
        assert.equal(await admitted(limiter, 10), 3);
        replacePolicy(options, { limit: slidingWindow({ limit: 2, window: MINUTE }) });
        assert.equal(await admitted(limiter, 10), 0);
      },
    },
  ],
  'charge-and-refund': [
    {
      options: { limit: FIVE },
      play: async (limiter) => {
        await limiter.charge('ann', { cost: 4 });
        assert.equal(await left(limiter), 1);
        await limiter.refund('ann', { cost: 2 });
        assert.equal(await left(limiter), 3);
        assert.equal(await admitted(limiter, 10), 3);
        assert.equal(await limiter.reset('ann'), true);
        assert.equal(await admitted(limiter, 10), 5);
      },
    },
  ],
  reservation: [
    {
      options: { limit: FIVE },
      play: async (limiter) => {
        const [one, other] = [await reserved(limiter, { cost: 2 }), await reserved(limiter, { cost: 2 })];
        await one.settle(1);
        await other.cancel();
        assert.equal(await left(limiter), 4);
        assert.equal(await admitted(limiter, 10), 4);
      },
    },
  ],
  expiry: [
    {
      options: { limit: FIVE },
      play: async (limiter, context) => {
        await reserved(limiter, { cost: 4, expires: '5s', onExpiry: 'giveBack' });
        await untilDone(untilLeft(limiter, 5), context);
      },
    },
  ],
  operation: [
    {
      options: { limit: FIVE },
      play: async (limiter) => {
        const spend = { cost: 2, id: 'job-1', rememberFor: MINUTE } as const;
        const [first, again] = [await limiter.consume('ann', spend), await limiter.consume('ann', spend)];
        assert.deepEqual([first.allowed, again.allowed], [true, true]);
        assert.equal(await left(limiter), 3);
        const held = await reserved(limiter, { cost: 3, id: 'job-2' });
        await reserved(limiter, { cost: 3, id: 'job-2' });
        assert.equal(await left(limiter), 0);
        await held.cancel();
        assert.equal(await left(limiter), 3);
      },
    },
  ],
  charge: [
    {
      options: { limit: FIVE },
      play: async (limiter) => {
        const charge = chargeOf(await reserved(limiter, { cost: 4 })) as Charge;
        const sent = JSON.parse(JSON.stringify(charge)) as Charge;
        assert.equal(await limiter.correct(sent, { actual: 1 }), 'applied');
        assert.equal(await limiter.correct(sent, { actual: 1 }), 'repeated');
        assert.equal(await left(limiter), 4);
      },
    },
  ],
  block: [
    {
      options: { limit: FIVE },
      play: async (limiter) => {
        assert.equal(await admitted(limiter, 1), 1);
        await limiter.block('ann', '1h', { reason: 'scraping' });
        assert.equal(await admitted(limiter, 3), 0);
        assert.equal((await limiter.inspect('ann')).block?.reason, 'scraping');
        assert.equal((await limiter.blocked()).entries.length, 1);
        assert.equal(await limiter.unblock('ann'), true);
        assert.equal(await admitted(limiter, 10), 4);
      },
    },
  ],
  wait: [
    {
      options: { limit: FIVE },
      play: async (limiter, context) => {
        assert.equal(await admitted(limiter, 10), 5);
        const { allowed } = await untilDone(limiter.wait('ann'), context);
        assert.equal(allowed, true);
      },
    },
  ],
  line: [
    {
      options: { limit: FIVE },
      play: async (limiter, context) => {
        const line = createLine({ limiter });
        const jobs = Array.from({ length: 8 }, (_, i) => line.run('ann', () => i));
        assert.deepEqual(await untilDone(Promise.all(jobs), context), [0, 1, 2, 3, 4, 5, 6, 7]);
        line.close();
      },
    },
  ],
};

async function reserved(limiter: Limiter, options = {}): Promise<Reservation> {
  return limiter.reserve('ann', options);
}

async function untilLeft(limiter: Limiter, units: number): Promise<void> {
  while ((await left(limiter)) !== units) await new Promise(setImmediate);
}

/** A limiter, and the options that own its policy. */
export interface Limited {
  readonly limiter: Limiter;
  readonly options: Options;
}

let policies = 0;

/** Makes the limiter of a scenario. No other policy has its name, so that scenarios may share a server. */
export function limiterOf({ options }: Scenario, store: Store): Limited {
  policies += 1;
  const own = { ...options, name: `policy-${policies}`, store };
  return { limiter: createLimiter<string, boolean>(own), options: own };
}
