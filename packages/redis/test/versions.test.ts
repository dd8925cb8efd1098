import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { statesInRedis } from '@sluice/test-kit/versions/states';
import { versionsSuite } from '@sluice/test-kit/versions/versions-suite';
import type { Redis } from 'ioredis';

let client: Redis;

withRedis((given) => {
  client = given;
});

versionsSuite({
  kind: 'redis',
  states: () => statesInRedis(client),
  makeStore: (version, clock) => new version.RedisStore({ client, timeout: '10s', ...(clock && { clock }) }),
});
