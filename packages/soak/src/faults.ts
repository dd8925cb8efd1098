import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { command } from './ask-redis.js';

/** What can go wrong with a server, and what ends it again. */
interface Fault {
  /** Whether the server has lost all keys afterwards. */
  readonly losesKeys?: true;
  /** @param lastsMs - how long it is to last, if it lasts */
  readonly inject: (server: RedisServer, lastsMs: number) => Promise<unknown>;
}

export const FAULTS = {
  killed: {
    losesKeys: true,
    inject: async (server, lastsMs) => {
      await server.kill();
      await pause(lastsMs);
      await server.run();
    },
  },
  restarted: {
    losesKeys: true,
    inject: async (server) => {
      await server.kill();
      await server.run();
    },
  },
  frozen: {
    inject: async (server, lastsMs) => {
      await server.freeze();
      await pause(lastsMs);
      await server.thaw();
    },
  },
  emptied: { losesKeys: true, inject: (server) => command(server, 'FLUSHALL') },
  'without scripts': { inject: (server) => command(server, 'SCRIPT', 'FLUSH') },
  disconnected: { inject: (server) => command(server, 'CLIENT', 'KILL', 'TYPE', 'normal') },
  full: {
    inject: async (server, lastsMs) => {
      await command(server, 'CONFIG', 'SET', 'maxmemory', '1');
      await pause(lastsMs);
      await command(server, 'CONFIG', 'SET', 'maxmemory', '0');
    },
  },
} satisfies Readonly<Record<string, Fault>>;

type FaultName = keyof typeof FAULTS;

/** From how short to how long a fault lasts. */
const [LEAST_MS, MOST_MS] = [50, 5000];

/** A fault that is over. */
interface InjectedFault {
  readonly name: FaultName;
  readonly server: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly losesKeys: boolean;
}

/**
 * Injects one of the faults into one of the servers, and resolves when it is over.
 *
 * @param random - decides which, to whom, and how long
 * @param mostMs - the longest that it may last
 */
export async function injectFault(
  servers: readonly RedisServer[],
  random: () => number,
  mostMs = MOST_MS,
): Promise<InjectedFault> {
  const names = Object.keys(FAULTS) as FaultName[];
  const name = names[Math.floor(random() * names.length)] as FaultName;
  const server = Math.floor(random() * servers.length);
  // Short ones are as frequent as long ones.
  const lastsMs = LEAST_MS * (mostMs / LEAST_MS) ** random();
  const fault: Fault = FAULTS[name];
  const fromMs = performance.now();
  await fault.inject(servers[server] as RedisServer, lastsMs);
  return { name, server, fromMs, toMs: performance.now(), losesKeys: fault.losesKeys === true };
}
