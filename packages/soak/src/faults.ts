import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';

/** What can go wrong with a server, and what ends it again. */
interface Fault {
  /** Whether the server has lost all keys afterwards. */
  readonly losesKeys?: true;
  /** @param lastsMs - how long it is to last, if it lasts */
  readonly happen: (server: RedisServer, lastsMs: number) => Promise<unknown>;
}

export const FAULTS = {
  killed: {
    losesKeys: true,
    happen: async (server, lastsMs) => {
      await server.kill();
      await pause(lastsMs);
      await server.run();
    },
  },
  restarted: {
    losesKeys: true,
    happen: async (server) => {
      await server.kill();
      await server.run();
    },
  },
  frozen: {
    happen: async (server, lastsMs) => {
      await server.freeze();
      await pause(lastsMs);
      await server.thaw();
    },
  },
  emptied: { losesKeys: true, happen: (server) => command(server, 'FLUSHALL') },
  'without scripts': { happen: (server) => command(server, 'SCRIPT', 'FLUSH') },
  disconnected: { happen: (server) => command(server, 'CLIENT', 'KILL', 'TYPE', 'normal') },
  full: {
    happen: async (server, lastsMs) => {
      await command(server, 'CONFIG', 'SET', 'maxmemory', '1');
      await pause(lastsMs);
      await command(server, 'CONFIG', 'SET', 'maxmemory', '0');
    },
  },
} satisfies Readonly<Record<string, Fault>>;

type FaultName = keyof typeof FAULTS;

/** From how short to how long a fault lasts. */
const [LEAST_MS, MOST_MS] = [50, 5000];

/** What happened. */
interface Happened {
  readonly name: FaultName;
  readonly server: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly losesKeys: boolean;
}

/**
 * Lets one of the faults happen to one of the servers, and resolves when it is over.
 *
 * @param random - decides which, to whom, and how long
 * @param mostMs - the longest that it may last
 */
export async function happen(
  servers: readonly RedisServer[],
  random: () => number,
  mostMs = MOST_MS,
): Promise<Happened> {
  const names = Object.keys(FAULTS) as FaultName[];
  const name = names[Math.floor(random() * names.length)] as FaultName;
  const server = Math.floor(random() * servers.length);
  // Short ones are as frequent as long ones.
  const lastsMs = LEAST_MS * (mostMs / LEAST_MS) ** random();
  const fault: Fault = FAULTS[name];
  const fromMs = performance.now();
  await fault.happen(servers[server] as RedisServer, lastsMs);
  return { name, server, fromMs, toMs: performance.now(), losesKeys: fault.losesKeys === true };
}

/** Sends a command over a connection of its own. */
async function command(server: RedisServer, name: string, ...args: readonly string[]): Promise<void> {
  await withClient(server, (client) => client.call(name, ...args));
}

/** How many keys a server has, and how many of them stay for ever. */
export function keysOf(server: RedisServer): Promise<{ readonly keys: number; readonly endless: number }> {
  return withClient(server, async (client) => {
    const script = `
local all = redis.call('KEYS', '*')
local endless = 0
for _, key in ipairs(all) do
  if redis.call('PTTL', key) == -1 then endless = endless + 1 end
end
return { #all, endless }`;
    const [keys, endless] = (await client.eval(script, 0)) as [number, number];
    return { keys, endless };
  });
}

async function withClient<T>(server: RedisServer, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ host: '127.0.0.1', port: server.port });
  client.on('error', () => {});
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}
