// What it costs to keep slots: the processor time of this process (and of Redis) while so many slots are held and renewed.
//
//   npx tsc -b && node packages/bench/measure/slots.mjs [slots] [keys] [redis URL]
//
// By default 50,000 slots of 50,000 keys in a memory store, with a lease of 9 seconds: each is renewed every 3 seconds.
import { setTimeout as pause } from 'node:timers/promises';
import { concurrency, createLimiter, MemoryStore, subscribe } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';

const [slots = 50_000, keys = slots] = process.argv.slice(2, 4).map(Number);
const url = process.argv[4];
const client = url && new Redis(url);
const store = client ? new RedisStore({ client, timeout: '1s' }) : new MemoryStore({ maxKeys: 2 * keys });
const limiter = createLimiter({ limit: concurrency({ limit: Math.ceil(slots / keys), lease: '9s' }), store });

let failures = 0;
subscribe('sluice:store-error', () => {
  failures += 1;
});

async function redisMs() {
  if (!client) return 0;
  const used = [...(await client.info('cpu')).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)];
  return used.reduce((sum, [, seconds]) => sum + 1000 * Number(seconds), 0);
}

const ROUND = 100;
const roundMs = (3000 * ROUND) / slots;
let nextMs = performance.now();
for (let i = 0; i < slots; i += ROUND) {
  await Promise.all(Array.from({ length: ROUND }, (_, j) => limiter.reserve(`user ${(i + j) % keys}`)));
  nextMs += roundMs;
  await pause(Math.max(0, nextMs - performance.now()));
}

const [startMs, started, startRedisMs] = [performance.now(), process.cpuUsage(), await redisMs()];
await pause(9000);
const { user, system } = process.cpuUsage(started);
const spentMs = performance.now() - startMs;
const percentOf = (ms) => `${((100 * ms) / spentMs).toFixed(1)} % of a core`;

const looks = await Promise.all(Array.from({ length: Math.min(keys, 500) }, (_, i) => limiter.peek(`user ${i}`)));
const lost = looks.reduce((sum, { tightest }) => sum + tightest.remaining, 0);
console.log(`${slots} slots of ${keys} keys: ${percentOf((user + system) / 1000)}`);
if (client) console.log(`Redis: ${percentOf((await redisMs()) - startRedisMs)}`);
console.log(`failures: ${failures}; slots lost, of the first ${looks.length} keys: ${lost}`);
process.exit();
