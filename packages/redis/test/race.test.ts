import { join } from 'node:path';
import { raceSuite } from '@sluice/test-kit/race/race-suite';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';

let server: RedisServer;

withRedis((_, given) => {
  server = given;
});

raceSuite(join(__dirname, 'race/racer.ts'), () => [`${server.port}`]);
