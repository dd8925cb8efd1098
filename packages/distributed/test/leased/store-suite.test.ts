import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { COUNTED_AHEAD, PEEKS_OF_SHARED_CODE, SEVERAL_SERVERS } from '@sluice/test-kit/store-claims';

storeSuite(
  'LeasedStore',
  (clock) => new LeasedStore({ busyFrom: 1, store: new AsyncStore(clock), lease: '10ms' }),
  COUNTED_AHEAD,
  { describe, it, peeks: PEEKS_OF_SHARED_CODE },
);

storeSuite(
  'SyncedStore',
  (clock) => new SyncedStore({ store: new AsyncStore(clock), sync: '10ms', slice: 3 }),
  COUNTED_AHEAD,
  { describe, it, peeks: PEEKS_OF_SHARED_CODE },
);

storeSuite(
  'LeasedStore over a ShardedStore',
  (clock) => {
    const nodes = { a: new AsyncStore(clock), b: new AsyncStore(clock) };
    return new LeasedStore({ busyFrom: 1, store: new ShardedStore({ nodes }), lease: '1s' });
  },
  { ...COUNTED_AHEAD, acrossKeys: SEVERAL_SERVERS.acrossKeys },
  { describe, it, peeks: PEEKS_OF_SHARED_CODE },
);
