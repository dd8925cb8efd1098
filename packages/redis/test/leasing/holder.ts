import { writeSync } from 'node:fs';
import { type Check, LeasedStore, SyncedStore, slidingWindow } from '@sluice/core';
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/index.js';

const [mode, port, limit] = process.argv.slice(2) as [string, string, string];
const client = new Redis(Number(port));
const redis = new RedisStore({ client, instances: 4, timeout: '2s' });
const store =
  mode === 'leased'
    ? new LeasedStore({ store: redis, lease: '300ms' })
    : new SyncedStore({ store: redis, sync: '300ms', slice: 50 });
const check: Check = {
  policy: 'leasing',
  name: 'shared',
  key: 'everyone',
  limit: slidingWindow({ limit: Number(limit), window: '1h' }),
  cost: 1,
};

/** Written at once, so that what was admitted is known also of a process that is killed. */
const admitted = (): void => void writeSync(1, '.');

async function spend(): Promise<void> {
  for (;;) {
    const reply = await store.consume({ checks: [check] }).catch(() => undefined);
    if (reply?.allowed) admitted();
    // Leaves a turn to whatever else is due.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

for (let i = 0; i < 8; i += 1) spend();
