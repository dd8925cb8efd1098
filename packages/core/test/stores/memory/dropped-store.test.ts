import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it, jest } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

afterEach(() => {
  jest.restoreAllMocks();
});

/** Leaves a store behind whose keys never expire. Nothing closes it or refers to it. */
function dropStore(): void {
  const store = new MemoryStore({ clock: new ManualClock() });
  createLimiter({ limit: 5, window: '1h', store }).consume('ann');
  expect(store.size).toBe(1);
}

it('The timer of a MemoryStore that nobody refers to ends, though the store was not closed and has keys', async () => {
  const started = jest.spyOn(globalThis, 'setInterval');
  const ended = jest.spyOn(globalThis, 'clearInterval');
  dropStore();
  expect(started).toHaveBeenCalledTimes(1);
  const timer = started.mock.results[0]?.value;
  for (let tries = 0; tries < 200 && ended.mock.calls.length === 0; tries += 1) {
    await pause(20);
    collectGarbage();
  }
  expect(ended.mock.calls).toEqual([[timer]]);
});
