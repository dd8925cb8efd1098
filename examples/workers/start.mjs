// Runs the example over the Redis at REDIS_URL, or over one of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { run } from '@sluice/example-shared';
import { runExample } from './dist/main.js';

async function main() {
  const { REDIS_URL } = process.env;
  if (REDIS_URL) return runExample(REDIS_URL);
  // In a process group of its own: Ctrl+C in a terminal must not end Redis before the workers.
  const redis = fork(fileURLToPath(new URL('../shared/redis.mjs', import.meta.url)), { detached: true });
  const [port] = await Promise.race([once(redis, 'message'), once(redis, 'exit')]);
  if (redis.connected) {
    await runExample(`redis://127.0.0.1:${port}`);
    redis.disconnect();
  }
}

run(main);
