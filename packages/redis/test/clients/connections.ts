import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis as Upstash } from '@upstash/redis';
import { GlideClient, Logger } from '@valkey/valkey-glide';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import { GlideDriver } from '../../../../examples/shared/src/glide-driver.js';
import type { RedisClient } from '../../src/index.js';
import { connectedTo, end, VERSIONS } from './node-redis.js';
import { UpstashProxy } from './upstash-proxy.js';

/** A client that is connected, and the way to end it. */
export interface Connection {
  readonly client: RedisClient;
  end(): unknown;
}

type Server = Pick<RedisServer, 'port'>;

const HOST = '127.0.0.1';

/** What the pages tell users of ioredis to set. */
const SETTINGS = { host: HOST, retryStrategy: () => 50, connectTimeout: 400 };

/** Of ioredis, or of what has grown out of it. Nobody is told of its errors. */
function connectionOf(client: Redis | Redis5 | Valkey): Connection {
  client.on('error', () => {});
  return { client, end: () => client.disconnect() };
}

Logger.setLoggerConfig('off');

/** How to connect each client that a store takes to a server. */
export const CONNECT: Readonly<Record<string, (server: Server) => Promise<Connection>>> = {
  'ioredis 6': async ({ port }) => connectionOf(new Redis({ ...SETTINGS, port })),
  'ioredis 5': async ({ port }) => connectionOf(new Redis5({ ...SETTINGS, port })),
  iovalkey: async ({ port }) => connectionOf(new Valkey({ ...SETTINGS, port })),

  ...Object.fromEntries(
    VERSIONS.map(([version, create]) => [
      `node-redis ${version}`,
      async (server: Server): Promise<Connection> => {
        const client = await connectedTo(server, create);
        return { client, end: () => end(client) };
      },
    ]),
  ),

  async '@upstash/redis'({ port }) {
    const behind = connectionOf(new Redis({ ...SETTINGS, port }));
    const proxy = await UpstashProxy.start(behind.client as Redis);
    const client = new Upstash({ url: proxy.url, token: proxy.token, enableTelemetry: false, retry: false });
    const stop = async (): Promise<void> => {
      await proxy.stop();
      behind.end();
    };
    return { client, end: stop };
  },

  async 'Valkey GLIDE'({ port }) {
    const client = await GlideClient.createClient({ addresses: [{ host: HOST, port }], requestTimeout: 10_000 });
    return { client: new GlideDriver(client), end: () => client.close() };
  },
};
