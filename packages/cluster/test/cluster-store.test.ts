import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import { clusterStore } from '../src/index.js';
import { newChannel } from './channel.js';

let channel: string;

// Everything is asked by workers: what the primary itself asks, it asks a MemoryStore.
storeSuite(
  'ClusterStore',
  (clock) => {
    channel = newChannel();
    closedAfterTest(clusterStore({ role: 'primary', channel, clock }));
    return clusterStore({ role: 'worker', channel, clock, timeout: '10s' });
  },
  EVERYTHING,
  { describe, it },
  (clock) => clusterStore({ role: 'worker', channel, clock, timeout: '10s' }),
);
