import type { NewStore } from '@sluice/test-kit/differential/twins';
import { type IoredisClient, type RedisClient, RedisStore } from '../../src/index.js';

/** Makes the stores that have to decide as memory does, over a client. They may count by the clock of the server. */
export function storesOver(client: RedisClient, countsBy: 'arguments' | 'server' = 'arguments'): NewStore {
  return (clock, number) =>
    new RedisStore({ client, prefix: `${number}:`, timeout: '10s', ...(countsBy === 'arguments' && { clock }) });
}

/** Returns the times to live of all keys: -1 of one that has none. */
export async function ttlsMs(client: IoredisClient): Promise<readonly number[]> {
  const keys = (await client.call('KEYS', ['*'])) as string[];
  return Promise.all(keys.map(async (key) => (await client.call('PTTL', [key])) as number));
}
