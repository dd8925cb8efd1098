import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LimitCheck } from '@sluice/core';
import { RACE_LIMITS } from '@sluice/test-kit/race/limits';
import { Race } from '@sluice/test-kit/race/race';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { FORMS, type Form, SLICE } from './forms.js';

const PROCESSES = 4;
const REQUESTS = 200;

const NAMES = [
  'a sliding window',
  'a sliding window log',
  'a fixed window',
  'a fixed window by the clock',
  'a token bucket',
] as const;

/** What each form may admit of a hundred. */
const MOST: Readonly<Record<Form, number>> = { leased: 100, synced: 100 + PROCESSES * SLICE, sharded: 100 };

let server: RedisServer;

withRedis((_, given) => {
  server = given;
});

describe.each(Object.keys(FORMS) as Form[])('Four processes whose stores are %s', (form) => {
  let race: Race;

  beforeAll(async () => {
    race = await Race.of(PROCESSES, join(__dirname, 'race/racer.ts'), [`${server.port}`, form]);
  }, 180_000);

  afterAll(() => race.end(), 180_000);

  it.each(NAMES)(
    'admit all of 100, and no more than their worst case, of 800 requests under %s',
    async (name) => {
      const check: LimitCheck = { policy: form, name, key: 'ann', limit: RACE_LIMITS[name], cost: 1 };
      const finishes = await race.run({ kind: 'ask', check, count: REQUESTS });
      const admitted = finishes.reduce((sum, finish) => sum + finish.admitted, 0);
      expect(admitted).toBeGreaterThanOrEqual(100);
      expect(admitted).toBeLessThanOrEqual(MOST[form]);
    },
    180_000,
  );
});
