import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { fixedWindow, type Limit, MemoryStore, slidingWindow, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function used(): { heapUsed: number; arrayBuffers: number } {
  collectGarbage();
  // The second round subtracts the typed arrays that the first one found.
  collectGarbage();
  return process.memoryUsage();
}

const KEYS = 60_000;

it.each<[string, Limit]>([
  ['fixed window', fixedWindow({ limit: 5, window: '1h' })],
  ['token bucket', tokenBucket({ capacity: 5, refillRate: 0.001 })],
  ['sliding window', slidingWindow({ limit: 100, window: '1h' })],
])('A key of a %s takes at most 64 bytes, and nothing on the heap, and releases them', (_name, limit) => {
  const store = new MemoryStore({ clock: new ManualClock(), maxKeys: KEYS });
  const check = { policy: 'policy', name: 'limit', limit, cost: 1 };
  const keys = Array.from({ length: KEYS }, (_, i) => `key-${i}`);
  const before = used();
  for (const key of keys) store.consume({ checks: [{ ...check, key }] });
  expect(store.size).toBe(KEYS);
  const full = used();
  expect((full.arrayBuffers - before.arrayBuffers) / KEYS).toBeLessThanOrEqual(64);
  // The heap grows by code and by a little for each page, but not for each key.
  expect(full.heapUsed - before.heapUsed).toBeLessThan(1_000_000);
  store.reset(keys.map((key) => ({ ...check, key })));
  expect(store.size).toBe(0);
  // A page of rows is kept.
  expect(used().arrayBuffers - before.arrayBuffers).toBeLessThan(100_000);
  store.close();
});
