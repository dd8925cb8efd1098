// Decides about many new keys, and now and then about one that is refused soon.
import { createLimiter, MemoryStore, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';

const clock = new ManualClock();
const store = new MemoryStore({ clock });
const limiter = createLimiter<string>({
  name: 'api',
  store,
  limits: [{ limit: slidingWindow({ limit: 3, window: '1m' }) }],
});

for (let key = 0; key < 60_000; key += 1) {
  limiter.consume(`new ${key}`);
  if (key % 2000 > 0) continue;
  clock.advance(1000);
  limiter.consume('greedy');
}
store.close();
