// Runs a Redis until the parent process disconnects. It is found in the way of the tests: redis-server or valkey-server of this machine,
// the program in SLUICE_TEST_REDIS, or Docker.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const REDIS_SERVER = fileURLToPath(new URL('../../packages/test-kit/src/redis/redis-server.ts', import.meta.url));

// The test kit is TypeScript for Jest. As one module it needs to know its folder.
const { outputFiles } = await build({
  entryPoints: [REDIS_SERVER],
  bundle: true,
  platform: 'node',
  format: 'esm',
  define: { __dirname: JSON.stringify(dirname(REDIS_SERVER)) },
  write: false,
});
const { RedisServer } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);

const disconnected = new Promise((resolve) => process.once('disconnect', resolve));
const redis = await RedisServer.start();
process.send?.(redis.port, () => {});
await disconnected;
await redis.stop();
