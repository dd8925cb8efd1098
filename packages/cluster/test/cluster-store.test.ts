import { afterEach, beforeEach, describe, it, jest } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import { clusterStore } from '../src/index.js';
import { newChannel } from './channel.js';

let channel: string;

// The primary sweeps by real time. Between a step of the clock and the call that follows over a socket, it would forget a key whose
// window was made longer since it was written.
beforeEach(() => {
  jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
});

afterEach(() => {
  jest.restoreAllMocks();
});

// Everything is asked by workers: what the primary itself asks, it asks a MemoryStore.
storeSuite(
  'ClusterStore',
  (clock) => {
    channel = newChannel();
    closedAfterTest(clusterStore({ role: 'primary', channel, clock }));
    return clusterStore({ role: 'worker', channel, clock, timeout: '10s' });
  },
  EVERYTHING,
  {
    describe,
    it,
    beside: (clock) => clusterStore({ role: 'worker', channel, clock, timeout: '10s' }),
    peeks: PEEKS_OF_SHARED_CODE,
  },
);

it(
  'A worker decides as in memory, whatever happens, to the last bit',
  () =>
    expectSameAsInMemory((clock) => {
      const own = newChannel();
      closedAfterTest(clusterStore({ role: 'primary', channel: own, clock }));
      return clusterStore({ role: 'worker', channel: own, clock, timeout: '10s' });
    }, 'cluster'),
  600_000,
);
