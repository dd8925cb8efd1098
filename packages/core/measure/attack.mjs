// An attack: millions of keys that come once each, against a store that remembers 100,000, with one key that was exhausted before.
// Prints how far heap and typed arrays grew, the longest stall of the event loop, and whether the exhausted key still is.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLimiter, MemoryStore } from '@sluice/core';

const KEYS = Number(process.argv[2] ?? 5_000_000);
const maxKeys = 100_000;

const store = new MemoryStore({ maxKeys });
const limiter = createLimiter({ limit: 5, window: '1h', store });
for (let i = 0; i < 6; i += 1) limiter.consume('victim');

const megabytes = () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return Math.round((heapUsed + arrayBuffers) / 2 ** 20);
};
const before = megabytes();
const stalls = monitorEventLoopDelay({ resolution: 1 });
stalls.enable();
const start = performance.now();
for (let i = 0; i < KEYS; i += 1) {
  limiter.consume(`attacker-${i}`);
  // A server answers a few requests per turn of its event loop.
  if (i % 100 === 0) await new Promise(setImmediate);
}
stalls.disable();
const seconds = (performance.now() - start) / 1000;

console.table({
  'distinct keys': KEYS,
  'keys remembered': store.size,
  seconds: Number(seconds.toFixed(1)),
  'memory before, MB': before,
  'memory after, MB': megabytes(),
  'longest stall, ms': Number((stalls.max / 1e6).toFixed(1)),
  'exhausted key is refused': !limiter.peek('victim').allowed,
});
store.close();
