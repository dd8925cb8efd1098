import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Duration, SluiceError } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { type LimitedFetch, limitedFetch } from '../../src/index.js';

/** What a process is told to do: calls for so long, as many a second on average; or so many calls at once. */
export type Orders =
  | { readonly url: string; readonly perSecond: number; readonly seconds: number; readonly wayMs: number }
  | { readonly url: string; readonly calls: number; readonly maxWait: Duration };

/** How the calls of a process ended: by status, or by the code of the error. */
export type Ends = Readonly<Record<string, number>>;

async function ended(api: LimitedFetch, url: string, maxWait: Duration): Promise<string> {
  try {
    const response = await api(url, { headers: { 'x-process': String(process.pid) }, sluice: { maxWait } });
    await response.text();
    return String(response.status);
  } catch (error) {
    return error instanceof SluiceError ? error.code : String(error);
  }
}

function counted(ends: readonly string[]): Ends {
  const counts: Record<string, number> = {};
  for (const end of ends) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}

async function work(orders: Orders, apiBy: (wayMs: number) => LimitedFetch): Promise<Ends> {
  if ('calls' in orders) {
    const { url, calls, maxWait } = orders;
    const api = apiBy(0);
    return counted(await Promise.all(Array.from({ length: calls }, () => ended(api, url, maxWait))));
  }
  const { url, perSecond, seconds, wayMs } = orders;
  const api = apiBy(wayMs);
  const endMs = performance.now() + seconds * 1000;
  const calls: Promise<string>[] = [];
  while (performance.now() < endMs) {
    calls.push(ended(api, url, '20s'));
    await pause(-Math.log(1 - Math.random()) * (1000 / perSecond));
  }
  return counted(await Promise.all(calls));
}

async function main(): Promise<void> {
  const client = new Redis(Number(process.argv[2]));
  // The server may end before its clients.
  client.on('error', () => {});
  await once(client, 'ready');
  const store = new RedisStore({ client, timeout: '1s' });
  let wayMs = 0;
  const api = limitedFetch({
    store,
    fetch: async (input, init) => {
      await pause(wayMs);
      const response = await fetch(input, init);
      await pause(wayMs);
      return response;
    },
  });
  process.send?.('ready');
  process.on('message', async (orders: Orders) =>
    process.send?.(
      await work(orders, (ms) => {
        wayMs = ms;
        return api;
      }),
    ),
  );
  process.once('disconnect', async () => {
    await store.close();
    client.disconnect();
  });
}

void main();
