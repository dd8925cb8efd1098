// Prints how many promises and timers a lone decision over Redis makes, and a lone command of the client alone.
import { createHook } from 'node:async_hooks';
import { createLimiter } from '@sluice/core';
import { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

const client = new Redis(JSON.parse(process.argv[2] as string));
// A slow machine must not reach the deadline, nor a quarter of it, when the timer is set again.
const store = new RedisStore({ client, timeout: '10s' });
const limiter = createLimiter({ limit: 1000, window: '1h', store });
const counts = new Map<string, number>();
let isCounting = false;

createHook({
  init(_, type) {
    if (isCounting) counts.set(type, (counts.get(type) ?? 0) + 1);
  },
}).enable();

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

async function made(call: () => Promise<unknown>): Promise<{ readonly promises: number; readonly timers: number }> {
  await pause();
  counts.clear();
  isCounting = true;
  await call();
  isCounting = false;
  return { promises: counts.get('PROMISE') ?? 0, timers: counts.get('Timeout') ?? 0 };
}

async function main(): Promise<void> {
  // The first ones load the script, ask for the server's time and for its version.
  for (let i = 0; i < 3; i += 1) await limiter.consume('ann');
  const command = await made(() => client.call('PING', []));
  const decision = await made(() => limiter.consume('ann'));
  console.log(JSON.stringify({ command, decision }));
  await client.quit();
}

main();
