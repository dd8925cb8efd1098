import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { fixedWindow, type Limit, MemoryStore, slidingWindow, tokenBucket } from '../../src/index.js';
import { ManualClock } from '../../src/testing/index.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Of the heap and of all that typed arrays hold beside it. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const KEYS = 200_000;

it.each<[string, Limit]>([
  ['fixed window', fixedWindow({ limit: 5, window: '1h' })],
  ['token bucket', tokenBucket({ capacity: 5, refillRate: 0.001 })],
  ['sliding window', slidingWindow({ limit: 100, window: '1h' })],
])('A key of a %s takes 64 bytes at most, and gives them back', (_name, limit) => {
  const store = new MemoryStore({ clock: new ManualClock(), maxKeys: KEYS });
  const check = { policy: 'policy', name: 'limit', limit, cost: 1 };
  const keys = Array.from({ length: KEYS }, (_, i) => `key-${i}`);
  const before = usedBytes();
  for (const key of keys) store.consume({ checks: [{ ...check, key }] });
  expect(store.size).toBe(KEYS);
  expect((usedBytes() - before) / KEYS).toBeLessThanOrEqual(64);
  store.reset(keys.map((key) => ({ ...check, key })));
  expect(store.size).toBe(0);
  // Some for the whole store: one page of rows, its random numbers.
  expect(usedBytes() - before).toBeLessThan(400_000);
  store.close();
});
