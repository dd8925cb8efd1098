import { Redis as Upstash } from '@upstash/redis';
import { GlideClient, Logger } from '@valkey/valkey-glide';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import { GlideDriver } from '../../../../examples/shared/src/glide-driver.js';
import { type Connection, HOST, ioredisConnection, type Listening } from './connection.js';
import { connectedTo, end, VERSIONS } from './node-redis.js';
import { UpstashProxy } from './upstash-proxy.js';

/** What the pages tell users of ioredis to set. */
const IOREDIS = { host: HOST, retryStrategy: () => 50, connectTimeout: 400 };

Logger.setLoggerConfig('off');

/** How to connect each client that a store takes to a server. */
export const CONNECT: Readonly<Record<string, (server: Listening) => Promise<Connection>>> = {
  'ioredis 6': async ({ port }) => ioredisConnection(new Redis({ ...IOREDIS, port })),
  'ioredis 5': async ({ port }) => ioredisConnection(new Redis5({ ...IOREDIS, port })),
  iovalkey: async ({ port }) => ioredisConnection(new Valkey({ ...IOREDIS, port })),

  ...Object.fromEntries(
    VERSIONS.map(([version, create]) => [
      `node-redis ${version}`,
      async (server: Listening): Promise<Connection> => {
        const client = await connectedTo(server, create);
        return { client, end: () => end(client) };
      },
    ]),
  ),

  async '@upstash/redis'({ port }) {
    const behind = ioredisConnection(new Redis({ ...IOREDIS, port }));
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
