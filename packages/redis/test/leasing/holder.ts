import { writeSync } from 'node:fs';
import { createLimiter, type Store, slidingWindow } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/index.js';
import { type Orders, PLACES } from './orders.js';

const { form, ports, names, instances, leaseMs, slice, limit, windowMs, keys, onStoreError } = JSON.parse(
  process.argv[2] as string,
) as Orders;

const stores = ports.map((port) => {
  const client = new Redis(port, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => {});
  return new RedisStore({ client, instances, timeout: 300 });
});
const [store] = stores as [RedisStore];
const forms: Readonly<Record<Orders['form'], () => Store<true>>> = {
  leased: () => new LeasedStore({ busyFrom: 1, store, lease: leaseMs }),
  synced: () => new SyncedStore({ busyFrom: 1, store, sync: leaseMs, slice }),
  sharded: () =>
    new ShardedStore({ nodes: Object.fromEntries(names.map((name, i) => [name, stores[i] as RedisStore])) }),
};
const limiter = createLimiter<string, true>({
  limit: slidingWindow({ limit, window: windowMs }),
  store: forms[form](),
  onStoreError,
});

/** By a clock that all processes of the machine share. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Written at once, so that what was admitted is known also of a process that is killed. */
function admitted(key: number, fromMs: number, isLocal: boolean): void {
  const record = new Float64Array(PLACES);
  record.set([key, fromMs, nowMs(), Number(isLocal)]);
  for (;;) {
    try {
      writeSync(1, new Uint8Array(record.buffer));
      return;
    } catch {
      // The pipe is full for a moment.
    }
  }
}

async function spend(key: number): Promise<void> {
  for (;;) {
    const fromMs = nowMs();
    const { allowed, source } = await limiter.consume(keys[key] as string);
    if (allowed) admitted(key, fromMs, source === 'local');
    // Leaves a turn to whatever else is due, and the machine to others.
    await new Promise((resolve) => (allowed ? setImmediate(resolve) : setTimeout(resolve, 2)));
  }
}

for (let i = 0; i < 8; i += 1) spend(i % keys.length);
