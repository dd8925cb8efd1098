import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { COUNTED_AHEAD, EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';
import { Crowd } from './crowd.js';
import { FORMS } from './forms.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

// Nothing of a store is left but keys, which those of the next test are told from by their prefix.
let stores = 0;
const prefix = (): string => {
  stores += 1;
  return `${stores}:`;
};

// The differential runs in CI have other keys beside those that they look at, too.
if (process.env.SLUICE_SUITES === 'full') {
  storeSuite(
    'RedisStore among strangers',
    (clock) => new Crowd(new RedisStore({ client, clock, prefix: prefix(), timeout: '10s' })),
    EVERYTHING,
    { describe, it },
  );
}

for (const form of ['leased', 'synced'] as const) {
  storeSuite(
    `RedisStore, ${form}`,
    (clock) => FORMS[form](() => new RedisStore({ client, clock, prefix: prefix(), timeout: '5s' })),
    COUNTED_AHEAD,
    { describe, it, peeks: PEEKS_OF_SHARED_CODE },
  );
}
