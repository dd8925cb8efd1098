import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { StoreClaims } from '@sluice/conformance';
import {
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  type PolicyOptions,
  replacePolicy,
  type Store,
  slidingWindow,
} from '@sluice/core';
import { itCounting } from './store-claims.js';

type Limits = readonly Limit[];

/** A limiter whose limits change while it is used. */
interface Changing {
  readonly limiter: Limiter;
  /** Puts other limits into force. */
  change(...limits: Limits): void;
  /** How many of so many requests of `ann` are admitted. */
  admitted(requests: number): Promise<number>;
}

/** A row of the table in `changing-limits-safely.md`: the limits before the change, those of later changes, and what becomes of them. */
interface Row {
  readonly before: Limits;
  readonly after: readonly Limits[];
  readonly play: (changing: Changing, after: readonly Limits[]) => Promise<void>;
}

const ten = (own: object = {}): Limit => slidingWindow({ name: 'hour', limit: 10, window: '1h', ...own });
const blocking = (blockDuration: '1h' | '2h' | '3h'): Limit =>
  fixedWindow({ name: 'hour', limit: 1, window: '1h', blockDuration });
const HOUR_MS = 3_600_000;

/** Blocks `ann` by her limit for two hours, changes the limit, and returns how long she is still told to wait. */
async function waitsAfter({ limiter, change, admitted }: Changing, [limits = []]: readonly Limits[]): Promise<number> {
  expect(await admitted(2)).toBe(1);
  change(...limits);
  const { allowed, tightest } = await limiter.consume('ann');
  expect(allowed).toBe(false);
  return Number(tightest.retryAfterMs);
}

/** What becomes of counts and blocks when limits change, by the first column of the page's table. */
export const LIMIT_CHANGES: Readonly<Record<string, Row>> = {
  'another algorithm': {
    before: [ten()],
    after: [[fixedWindow({ name: 'hour', limit: 10, window: '1h' })], [ten()]],
    async play({ change, admitted }, [other = [], same = []]) {
      expect(await admitted(20)).toBe(10);
      change(...other);
      expect(await admitted(20)).toBe(10);
      change(...same);
      expect(await admitted(20)).toBe(0);
    },
  },
  'a limit is added': {
    before: [ten()],
    after: [[ten(), fixedWindow({ name: 'day', limit: 12, window: '1d' })]],
    async play({ limiter, change, admitted }, [added = []]) {
      expect(await admitted(4)).toBe(4);
      change(...added);
      const [hour, day] = (await limiter.peek('ann')).verdicts.map(({ remaining }) => remaining);
      expect(day).toBe(12);
      // A store in front of others spends in advance, or reports later.
      expect(hour).toBeLessThan(10);
    },
  },
  'a limit is removed': {
    before: [ten(), fixedWindow({ name: 'day', limit: 5, window: '1d' })],
    after: [[ten()], [ten(), fixedWindow({ name: 'day', limit: 5, window: '1d' })]],
    async play({ change, admitted }, [without = [], back = []]) {
      expect(await admitted(20)).toBe(5);
      change(...without);
      expect(await admitted(20)).toBe(5);
      change(...back);
      expect(await admitted(20)).toBe(0);
    },
  },
  'a limit gets another name': {
    before: [ten()],
    after: [[ten({ name: 'sixty minutes' })]],
    async play({ change, admitted }, [renamed = []]) {
      expect(await admitted(20)).toBe(10);
      change(...renamed);
      expect(await admitted(20)).toBe(10);
    },
  },
  '`blockDuration` is removed': {
    before: [blocking('2h')],
    after: [[fixedWindow({ name: 'hour', limit: 5, window: '1h' })]],
    async play(changing, after) {
      expect(await waitsAfter(changing, after)).toBeGreaterThan(HOUR_MS);
    },
  },
  '`blockDuration` becomes shorter or longer': {
    before: [blocking('2h')],
    after: [[blocking('1h')], [blocking('3h')]],
    async play(changing, [shorter = [], longer = []]) {
      expect(await waitsAfter(changing, [shorter])).toBeGreaterThan(HOUR_MS);
      changing.change(...longer);
      const { tightest } = await changing.limiter.consume('ann');
      expect(tightest.retryAfterMs).toBeLessThanOrEqual(2 * HOUR_MS);
    },
  },
  'a key is blocked by hand, and the numbers or the algorithm change': {
    before: [ten()],
    after: [[ten({ limit: 20 })], [fixedWindow({ name: 'hour', limit: 10, window: '1h' })]],
    async play({ limiter, change, admitted }, after) {
      await limiter.block('ann', 'forever');
      for (const limits of after) {
        change(...limits);
        expect(await admitted(3)).toBe(0);
      }
      expect(await limiter.unblock('ann')).toBe(true);
      expect(await admitted(3)).toBe(3);
    },
  },
  'a key is blocked by hand, and all limits get other names': {
    before: [ten()],
    after: [[ten({ name: 'sixty minutes' })], [ten()]],
    async play({ limiter, change, admitted }, [renamed = [], back = []]) {
      await limiter.block('ann', 'forever');
      change(...renamed);
      expect(await admitted(3)).toBe(3);
      change(...back);
      expect(await admitted(3)).toBe(0);
    },
  },
};

/**
 * Tests what becomes of counts and blocks when the limits of a policy change, over any store.
 *
 * @param make - returns an empty store each time
 * @param claims - which limits the store counts
 */
export function limitChangeSuite(name: string, make: () => Promise<Store>, claims: StoreClaims): void {
  let store: Store;

  describe(`Over ${name}, limits change`, () => {
    beforeEach(async () => {
      store = await make();
    });

    afterEach(() => store.close());

    for (const [title, { before, after, play }] of Object.entries(LIMIT_CHANGES)) {
      itCounting(claims, ...before, ...after.flat())(title, () => play(changing(store, before), after));
    }
  });
}

function changing(store: Store, limits: Limits): Changing {
  const optionsOf = (own: Limits) => ({ name: 'api', limits: own.map((limit) => ({ limit })) });
  const options = { ...optionsOf(limits), store } as PolicyOptions<[subject: string]>;
  const limiter = createLimiter(options);
  return {
    limiter,
    change: (...own) => replacePolicy(options, optionsOf(own) as PolicyOptions<[subject: string]>),
    async admitted(requests) {
      let count = 0;
      for (let i = 0; i < requests; i += 1) if ((await limiter.consume('ann')).allowed) count += 1;
      return count;
    },
  };
}
