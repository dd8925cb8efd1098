// Runs the example over the Redis at REDIS_URL, or over one of its own: on a free port, in a temporary folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { run } from '@sluice/example-shared';
import { runPlatform } from './dist/main.js';

async function main() {
  const { REDIS_URL } = process.env;
  if (REDIS_URL) return runPlatform(REDIS_URL);
  // In a process group of its own: Ctrl+C in a terminal must not end Redis before the workers.
  const redis = fork(fileURLToPath(new URL('../shared/redis.mjs', import.meta.url)), { detached: true });
  const [port] = await Promise.race([once(redis, 'message'), once(redis, 'exit')]);
  if (!redis.connected) return;
  await runPlatform(`redis://127.0.0.1:${port}`);
  redis.disconnect();
}

run(main);
