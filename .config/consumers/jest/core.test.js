const { createLimiter, LeasedStore, MemoryStore, ShardedStore, SyncedStore } = require('@sluice/core');
const distributed = require('@sluice/core/distributed');
const { ipKey } = require('@sluice/core/http');
const { ManualClock } = require('@sluice/core/testing');

test('The core counts on a clock of the test', () => {
  const clock = new ManualClock();
  const limiter = createLimiter({ limit: 1, window: '1h', store: new MemoryStore({ clock }) });
  const ann = ipKey('203.0.113.7');
  expect(limiter.consume(ann).allowed).toBe(true);
  expect(limiter.consume(ann).allowed).toBe(false);
  clock.advance('2h');
  expect(limiter.consume(ann).allowed).toBe(true);
});

test('The stores in front of others are the same at both entry points', () => {
  expect(distributed).toEqual({ LeasedStore, ShardedStore, SyncedStore });
});
