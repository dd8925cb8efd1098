import type { Store } from '@sluice/core';
import { LeasedStore } from '@sluice/core/distributed';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { limiterSuites, OVER_EVERYTHING, OVER_LEASES } from '@sluice/test-kit/limiter-suites';
import { type ClusterStore, clusterStore } from '../src/index.js';
import { newChannel } from './channel.js';

type Make = Parameters<typeof limiterSuites>[1];

const pairOf =
  (form: (store: ClusterStore) => Store): Make =>
  async (clock) => {
    const options = { channel: newChannel(), timeout: '20s', ...(clock && { clock }) } as const;
    closedAfterTest(clusterStore({ ...options, role: 'primary' }));
    const one = (): Store => form(clusterStore({ ...options, role: 'worker' }));
    return [one(), one()];
  };

limiterSuites(
  'two workers',
  pairOf((store) => store),
  OVER_EVERYTHING,
);
limiterSuites(
  'leases of two workers',
  pairOf((store) => new LeasedStore({ busyFrom: 1, store })),
  OVER_LEASES,
);
