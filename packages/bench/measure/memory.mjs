// Bytes per remembered key, of the heap and of typed arrays beside it, per algorithm: after one request of each key, and with the key's limit used up over
// a window's time.
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyBucket,
  MemoryStore,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';

const KEYS = 20_000;
const REQUESTS = 100;
const perMinute = { limit: REQUESTS, window: '1m' };

const limits = {
  'sliding window': slidingWindow(perMinute),
  'sliding window log': slidingWindowLog(perMinute),
  'sliding window counter': slidingWindowCounter(perMinute),
  'fixed window': fixedWindow(perMinute),
  // Slow enough that no key is full again, and forgotten, before the end.
  'token bucket': tokenBucket({ capacity: REQUESTS, refillRate: 0.01 }),
  'leaky bucket': leakyBucket({ capacity: REQUESTS, leakRate: 0.01 }),
  concurrency: concurrency({ limit: REQUESTS, lease: '1h' }),
};

const usedBytes = () => {
  // What the first round finds of typed arrays is counted out by the second.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

function measure(limit) {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const limiter = createLimiter({ limit, store });
  // Asked in the way of each: what is asked of a concurrency limit is never given back here.
  const ask = (i) => (limit.algorithm === 'concurrency' ? store.consume(slot(limit, i)) : limiter.consume(`key-${i}`));
  const before = usedBytes();
  const perKey = () => Math.round((usedBytes() - before) / KEYS);
  const all = () => {
    for (let i = 0; i < KEYS; i += 1) ask(i);
  };
  all();
  const fresh = perKey();
  for (let request = 1; request < REQUESTS; request += 1) {
    clock.advance(500);
    all();
  }
  const used = perKey();
  if (store.size !== KEYS) throw new Error(`${limit.algorithm} remembers ${store.size} keys`);
  store.close();
  return { 'one request': fresh, 'limit used up': used };
}

let slots = 0;
function slot(limit, i) {
  slots += 1;
  return { checks: [{ policy: 'default', name: 'slots', key: `key-${i}`, limit, cost: 1 }], id: `slot-${slots}` };
}

console.table(Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, measure(limit)])));
