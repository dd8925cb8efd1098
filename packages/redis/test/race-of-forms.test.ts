import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Check, fixedWindow, type Limit, slidingWindow, slidingWindowLog, tokenBucket } from '@sluice/core';
import { FORMS, type Form, SLICE } from './forms.js';
import { Race } from './race/race.js';
import { RedisServer } from './redis-server.js';

const PROCESSES = 4;
const REQUESTS = 200;

const HOUR = { limit: 100, window: '1h' };
const LIMITS: Readonly<Record<string, Limit>> = {
  'a sliding window': slidingWindow(HOUR),
  'a sliding window log': slidingWindowLog(HOUR),
  'a fixed window': fixedWindow(HOUR),
  'a fixed window by the clock': fixedWindow({ ...HOUR, align: 'clock' }),
  'a token bucket': tokenBucket({ capacity: 100, refillRate: 0 }),
};

/** What each form may admit of a hundred. */
const MOST: Readonly<Record<Form, number>> = { leased: 100, synced: 100 + PROCESSES * SLICE, sharded: 100 };

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
}, 180_000);

afterAll(() => server.stop(), 180_000);

describe.each(Object.keys(FORMS) as Form[])('Four processes whose stores are %s', (form) => {
  let race: Race;

  beforeAll(async () => {
    race = await Race.of(PROCESSES, [`${server.port}`, form]);
  }, 180_000);

  afterAll(() => race.end(), 180_000);

  it.each(Object.entries(LIMITS))(
    'admit all that there is of 100, and no more than their worst case, of 800 requests under %s',
    async (name, limit) => {
      const check: Check = { policy: form, name, key: 'ann', limit, cost: 1 };
      const finishes = await race.run({ kind: 'ask', check, count: REQUESTS });
      const admitted = finishes.reduce((sum, finish) => sum + finish.admitted, 0);
      expect(admitted).toBeGreaterThanOrEqual(100);
      expect(admitted).toBeLessThanOrEqual(MOST[form]);
    },
    180_000,
  );
});
