import { Cluster, Redis } from 'ioredis';
import { freePort, RedisServer } from './redis-server.js';

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

  static async start(): Promise<RedisCluster> {
    const servers = await Promise.all(
      RANGES.map(async () => {
        const bus = await freePort();
        return RedisServer.start([
          '--cluster-enabled',
          'yes',
          '--cluster-port',
          `${bus}`,
          '--cluster-node-timeout',
          '2000',
        ]);
      }),
    );
    const clients = servers.map(({ port }) => new Redis(port));
    const bus = Number(((await clients[0]?.config('GET', 'cluster-port')) as string[])[1]);
    await Promise.all(
      clients.map((client, i) =>
        client.call('CLUSTER', ['ADDSLOTSRANGE', ...(RANGES[i] as readonly [number, number])]),
      ),
    );
    for (const client of clients.slice(1))
      await client.call('CLUSTER', ['MEET', '127.0.0.1', servers[0]?.port as number, bus]);
    await Promise.all(clients.map(agreed));
    for (const client of clients) client.disconnect();
    return new RedisCluster(servers);
  }

  connect(): Cluster {
    return new Cluster(this.servers.map(({ port }) => ({ host: '127.0.0.1', port })));
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

/** Resolves when a node knows the three of them and where all slots are. */
async function agreed(client: Redis): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const info = String(await client.cluster('INFO'));
    if (info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3') && info.includes('cluster_size:3'))
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The nodes of the cluster did not agree');
}
