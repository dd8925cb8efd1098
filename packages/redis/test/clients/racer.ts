import { ManualClock } from '@sluice/core/testing';
import { race } from '@sluice/test-kit/race/racer';
import { Redis as Upstash } from '@upstash/redis';
import { GlideClient } from '@valkey/valkey-glide';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { GlideDriver } from '../../../../examples/shared/src/glide-driver.js';
import { type RedisClient, RedisStore } from '../../src/index.js';
import { connectedTo, end, VERSIONS } from './node-redis.js';
import { UpstashProxy } from './upstash-proxy.js';

/** A client, and the way to end it. */
interface Connection {
  readonly client: RedisClient;
  end(): unknown;
}

const port = Number(process.argv[2]);
/** Counts the holders of slots, past the tested client. */
const counting = new Redis(port, '127.0.0.1');

const CONNECT: Readonly<Record<string, () => Promise<Connection>>> = {
  async ioredis() {
    const client = new Redis(port, '127.0.0.1');
    return { client, end: () => client.disconnect() };
  },

  async iovalkey() {
    const client = new Valkey(port, '127.0.0.1');
    return { client, end: () => client.disconnect() };
  },

  async upstash() {
    const proxy = await UpstashProxy.start(counting);
    const client = new Upstash({ url: proxy.url, token: proxy.token, enableTelemetry: false, retry: false });
    return { client, end: () => proxy.stop() };
  },

  async glide() {
    const client = await GlideClient.createClient({ addresses: [{ host: '127.0.0.1', port }], requestTimeout: 10_000 });
    return { client: new GlideDriver(client), end: () => client.close() };
  },

  ...Object.fromEntries(
    VERSIONS.map(([version, create]) => [
      `node-redis ${version}`,
      async (): Promise<Connection> => {
        const client = await connectedTo({ port }, create);
        return { client, end: () => end(client) };
      },
    ]),
  ),
};

const names = Object.keys(CONNECT);
/** The client that every process has. Without it, each has another. */
const name = process.argv[3] ?? names[Number(process.env.SLUICE_RACER) % names.length];

async function start(): Promise<void> {
  const connection = await CONNECT[name as string]?.();
  if (!connection) throw new Error(`no client is called ${name}`);
  const { client } = connection;
  race({
    // Time stands still, so no window can end during the race.
    store: new RedisStore({ client, clock: new ManualClock(), timeout: '10s' }),
    enter: () => counting.incr('holders'),
    leave: () => counting.decr('holders'),
    disconnect: async () => {
      await connection.end();
      counting.disconnect();
    },
  });
}

void start();
