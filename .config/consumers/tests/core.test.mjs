import assert from 'node:assert/strict';
import test from 'node:test';
import '@sluice/core/calendars';
import { createLimiter, fixedWindow, MemoryStore } from '@sluice/core';
import * as distributed from '@sluice/core/distributed';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { ipKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';

test('The core counts on a clock of the test', () => {
  const clock = new ManualClock();
  const limiter = createLimiter({ limit: 1, window: '1h', store: new MemoryStore({ clock }) });
  const ann = ipKey('203.0.113.7');
  assert.equal(limiter.consume(ann).allowed, true);
  assert.equal(limiter.consume(ann).allowed, false);
  clock.advance('2h');
  assert.equal(limiter.consume(ann).allowed, true);
});

test('A window follows the calendar of a time zone', () => {
  const clock = new ManualClock(Date.UTC(2026, 2, 28, 22)); // an hour before midnight
  const limit = fixedWindow({ limit: 1, window: { unit: 'day', timeZone: 'Europe/Rome' } });
  const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
  assert.equal(limiter.consume('ann').tightest.resetAfterMs, 3_600_000);
  clock.advance('1h');
  assert.equal(limiter.consume('ann').tightest.resetAfterMs, 23 * 3_600_000); // clocks go forward
});

test('The stores in front of others are the same at both entry points', () => {
  assert.deepEqual({ ...distributed }, { LeasedStore, ShardedStore, SyncedStore });
});
