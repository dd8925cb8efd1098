import { Cluster, Redis } from 'ioredis';
import { allOrNone } from '../all-or-none.js';
import { freePort } from '../free-port.js';
import type { MovableClock } from './movable-clock.js';
import { RedisServer } from './redis-server.js';

/** All hash slots, in three parts. */
const RANGES = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const;

/** A cluster of three servers of the tests' own. */
export class RedisCluster {
  readonly servers: readonly RedisServer[];

  private constructor(servers: readonly RedisServer[]) {
    this.servers = servers;
  }

  /** @param clocks - of the servers, each by its place; by default the machine's. */
  static async start(clocks: readonly MovableClock[] = []): Promise<RedisCluster> {
    const bus = await freePort();
    const servers = await allOrNone([startNode(clocks[0], bus), startNode(clocks[1]), startNode(clocks[2])], (server) =>
      server.stop(),
    );
    const cluster = new RedisCluster(servers);
    const clients = servers.map(({ port }) => new Redis(port));
    try {
      await Promise.all(
        clients.map(async (client, i) => {
          await client.call('CLUSTER', ['ADDSLOTSRANGE', ...(RANGES[i] ?? [])]);
          if (i > 0) await client.call('CLUSTER', ['MEET', '127.0.0.1', servers[0]?.port as number, bus]);
        }),
      );
      await Promise.all(clients.map(agreed));
    } catch (error) {
      await cluster.stop();
      throw error;
    } finally {
      for (const client of clients) client.disconnect();
    }
    return cluster;
  }

  connect(options: { maxRedirections?: number } = {}): Cluster {
    return new Cluster(
      this.servers.map(({ port }) => ({ host: '127.0.0.1', port })),
      options,
    );
  }

  /** The place among the servers of the one that has a slot. */
  async ownerOf(slot: number): Promise<number> {
    const client = new Redis(this.servers[0]?.port as number);
    const ranges = (await client.call('CLUSTER', ['SLOTS'])) as [number, number, [string, number]][];
    client.disconnect();
    const range = ranges.find(([first, last]) => first <= slot && slot <= last);
    return this.servers.findIndex(({ port }) => port === range?.[2][1]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

async function startNode(clock?: MovableClock, bus?: number): Promise<RedisServer> {
  const busPort = bus ?? (await freePort());
  const options = {
    'cluster-enabled': 'yes',
    'cluster-port': `${busPort}`,
    'cluster-node-timeout': '2000',
    // One that is gone is to take nothing with it but its own slots.
    'cluster-require-full-coverage': 'no',
  };
  return RedisServer.start(
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    clock,
  );
}

/** Resolves when a node knows the three of them and where all slots are. */
async function agreed(client: Redis): Promise<void> {
  for (let tries = 0; tries < 1500; tries += 1) {
    const info = String(await client.cluster('INFO'));
    if (info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3') && info.includes('cluster_size:3'))
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The nodes of the cluster did not agree');
}
