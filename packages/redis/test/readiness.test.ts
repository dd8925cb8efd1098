import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type PolicyOptions,
  type Store,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { LeasedStore, ShardedStore } from '@sluice/core/distributed';
import { freePort } from '@sluice/test-kit/free-port';
import { readinessSuite } from '@sluice/test-kit/readiness-suite';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { until } from '@sluice/test-kit/until';
import { Redis, type RedisOptions } from 'ioredis';
import { type ReadyOptions, RedisStore } from '../src/index.js';
import { type Between, clientAnswering, clientOver } from './client-over.js';

const cleaners: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

async function serverWith(...options: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(options);
  cleaners.push(() => server.stop());
  return server;
}

function clientOf(port: number, options: Omit<RedisOptions, 'replyMapping'> = {}): Redis {
  const client = new Redis(port, { retryStrategy: () => 50, ...options });
  client.on('error', () => {});
  cleaners.push(() => client.disconnect());
  return client;
}

const storeOf = (client: Redis): RedisStore => new RedisStore({ client, timeout: '1s' });

/** A real client, except for the reply to INFO. */
function withInfo(client: Redis, info: string): RedisStore {
  const answering: Between = async (command, args, send) => (command === 'INFO' ? info : send(command, args));
  return new RedisStore({ client: clientOver(client, answering) });
}

async function warningsOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const emit = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
  cleaners.push(() => emit.mockRestore());
  await work();
  return emit.mock.calls.map(([, options]) => options);
}

/** A store over a real client, and the commands that it sends. */
function recording(client: Redis): { readonly store: RedisStore; readonly commands: string[] } {
  const commands: string[] = [];
  const answering: Between = async (command, args, send) => {
    commands.push(command);
    return send(command, args);
  };
  return { store: new RedisStore({ client: clientOver(client, answering), timeout: '1s' }), commands };
}

/** Whether the call of a script is about keys. */
const commandHasKeys = (args: readonly unknown[]): boolean => Number(args[1]) > 0;

const POLICIES: readonly PolicyOptions<[string]>[] = [
  { name: 'sliding', limit: 5, window: '1m' },
  { name: 'bucket', limit: tokenBucket({ capacity: 5, refillRate: 1 }) },
  { name: 'slots', limit: concurrency({ limit: 5, lease: '10s' }) },
  { name: 'both', limits: [fixedWindow({ limit: 5, window: '1m' }), tokenBucket({ capacity: 5, refillRate: 1 })] },
];

const IN_FRONT: readonly (readonly [name: string, of: (store: RedisStore) => Store<true>])[] = [
  ['alone', (store) => store],
  ['behind a leased store', (store) => new LeasedStore({ store, lease: '1s' })],
  ['behind a sharded store', (store) => new ShardedStore({ nodes: { one: store } })],
];

/** How many scripts a server has compiled. */
async function scriptsOf(client: Redis): Promise<number> {
  const [, count] = /number_of_cached_scripts:(\d+)/.exec(await client.info('memory')) ?? [];
  return Number(count);
}

readinessSuite('a RedisStore', () => {
  const waiting: ((error: Error) => void)[] = [];
  const call = (): Promise<never> => new Promise((_, reject) => waiting.push(reject));
  return {
    store: new RedisStore({ client: clientAnswering(call), timeout: '4s' }),
    release() {
      for (const reject of waiting) reject(new Error('the connection was closed'));
    },
  };
});

readinessSuite('a RedisStore whose client connects again and again', () => {
  const call = (): Promise<never> => Promise.reject(new Error('no connection'));
  return {
    store: new RedisStore({ client: clientAnswering(call, { status: 'reconnecting' }), timeout: '4s' }),
    release() {},
  };
});

describe('ready()', () => {
  it.each([
    ['sliding windows', () => slidingWindow({ limit: 5, window: '1m' }), 1],
    ['fixed windows', () => fixedWindow({ limit: 5, window: '1m' }), 1],
    ['another algorithm, beside the one of a trial', () => tokenBucket({ capacity: 5, refillRate: 1 }), 2],
  ])('has Redis compile no more scripts than it needs: for %s', async (_, limit, count) => {
    const client = clientOf((await serverWith()).port);
    const store = storeOf(client);
    createLimiter({ limit: limit(), store });
    await store.ready();
    expect(await scriptsOf(client)).toBe(count);
    expect(await client.keys('*')).toEqual([]);
  });

  it.each(IN_FRONT)('takes the loading of scripts from the first decision of each policy: %s', async (_, inFront) => {
    const client = clientOf((await serverWith()).port);
    const { store, commands } = recording(client);
    const own = inFront(store);
    // A slot that nobody frees is renewed, which keeps the process alive.
    cleaners.push(() => own.close());
    // A leased store counts no slots.
    const policies = POLICIES.filter(({ name }) => !(own instanceof LeasedStore) || name !== 'slots');
    const limiters = policies.map((options) => createLimiter({ ...options, store: own }));
    // Redis forgets the scripts that were sent when the policies were made.
    await client.call('SCRIPT', ['FLUSH']);
    await store.ready();
    for (const limiter of limiters) {
      commands.length = 0;
      await limiter.reserve('ann');
      expect(commands).toContain('EVALSHA');
      expect(commands).not.toContain('EVAL');
    }
  });

  it('rejects if a script of a policy cannot be sent', async () => {
    const client = clientOf((await serverWith()).port);
    const failing: Between = async (command, args, send) => {
      // The trial counts by a fixed window alone.
      if (command === 'EVAL' && !commandHasKeys(args)) throw new Error('no room for scripts');
      return send(command, args);
    };
    const store = new RedisStore({ client: clientOver(client, failing), timeout: '1s' });
    createLimiter({ name: 'sliding', limit: 5, window: '1m', store });
    await expect(store.ready({ timeout: '500ms' })).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: 'the store failed: no room for scripts (SLUICE_STORE)',
    });
  });

  it('resolves when Redis replies, and writes nothing', async () => {
    const client = clientOf((await serverWith()).port);
    await expect(storeOf(client).ready()).resolves.toBeUndefined();
    await expect(client.dbsize()).resolves.toBe(0);
  });

  it.each([true, false])(
    'waits for a Redis that starts later, with enableOfflineQueue %s',
    async (enableOfflineQueue) => {
      const server = await serverWith();
      await server.kill();
      const ready = storeOf(clientOf(server.port, { enableOfflineQueue })).ready();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await server.run();
      await expect(ready).resolves.toBeUndefined();
    },
  );

  it('connects a lazy client', async () => {
    const { port } = await serverWith();
    const client = clientOf(port, { lazyConnect: true, enableOfflineQueue: false });
    await expect(storeOf(client).ready()).resolves.toBeUndefined();
  });

  it.each<Omit<RedisOptions, 'replyMapping'>>([{}, { enableOfflineQueue: false }, { lazyConnect: true }])(
    'gives up if nothing listens, with the error of the client: %p',
    async (options) => {
      const client = clientOf(await freePort(), options);
      const listeners = client.listenerCount('error');
      const startMs = performance.now();
      await expect(storeOf(client).ready({ timeout: '300ms' })).rejects.toMatchObject({
        code: 'SLUICE_STORE',
        message: expect.stringMatching(/within 300 ms: the Redis client is not connected.*: .*ECONNREFUSED/),
        cause: { code: 'ECONNREFUSED' },
      });
      // By default it would take five seconds.
      expect(performance.now() - startMs).toBeLessThan(4500);
      expect(client.listenerCount('error')).toBe(listeners);
    },
  );

  it('listens to a client once for all of its stores, and tells each of them', async () => {
    const client = clientOf(await freePort());
    const listeners = client.listenerCount('error');
    const stores = Array.from({ length: 12 }, (_, i) => new RedisStore({ client, prefix: `app${i}:` }));
    // Node warns about more than ten.
    const ready = stores.map((store, i) => store.ready({ timeout: 200 + 10 * i }).catch((error) => error));
    expect(client.listenerCount('error')).toBe(listeners + 1);
    for (const error of await Promise.all(ready)) expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect(client.listenerCount('error')).toBe(listeners);
  });

  it('names the code of an error without a message, as Node has for a host with several addresses', async () => {
    const client = clientAnswering(() => Promise.reject(new Error('no connection')), {
      status: 'reconnecting',
      on: (_: 'error', listen: (error: Error) => void) =>
        listen(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })),
      off: () => {},
    });
    await expect(new RedisStore({ client }).ready({ timeout: 50 })).rejects.toMatchObject({
      message: expect.stringContaining(': ECONNREFUSED (SLUICE_STORE)'),
    });
  });

  it('gives up on a frozen Redis that the client does not notice', async () => {
    const server = await serverWith();
    const store = storeOf(clientOf(server.port));
    await store.ready();
    await server.freeze();
    const error = await store.ready({ timeout: 100 }).catch((reason) => reason);
    expect(error).toMatchObject({ message: 'Redis did not answer within 100 ms (SLUICE_STORE)' });
    expect(error).not.toHaveProperty('cause');
  });

  it('gives up on a client that reports no errors', async () => {
    const call = () => Promise.reject(new Error('no connection'));
    const store = new RedisStore({ client: clientAnswering(call, { status: 'reconnecting' }) });
    await expect(store.ready({ timeout: 100 })).rejects.toMatchObject({
      message: expect.stringContaining('its status is reconnecting'),
    });
  });

  it('does not affect the store if it gave up', async () => {
    const server = await serverWith();
    await server.kill();
    const store = storeOf(clientOf(server.port));
    await expect(store.ready({ timeout: 100 })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    await server.run();
    await expect(store.consume({ checks: [], peek: true })).resolves.toMatchObject({ allowed: true });
  });

  it.each([
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: 'soon' }, 'timeout'],
    [{ timeoutMs: 100 }, 'timeoutMs'],
  ])('refuses the options %p', async (options, path) => {
    const ready = storeOf(clientOf((await serverWith()).port)).ready(options as ReadyOptions);
    await expect(ready).rejects.toMatchObject({ code: 'SLUICE_OPTION', path });
  });

  it('reports a closed client, as every call does', async () => {
    const client = clientOf(await freePort());
    client.disconnect();
    await new Promise((resolve) => client.once('end', resolve));
    const store = storeOf(client);
    const closed = { code: 'SLUICE_STORE', message: expect.stringContaining('the Redis client was closed') };
    await expect(store.ready()).rejects.toMatchObject(closed);
    await expect(store.consume({ checks: [], peek: true })).rejects.toMatchObject(closed);
  });

  it('reports a client in subscriber mode, because the store needs its own', async () => {
    const client = clientOf((await serverWith()).port, { protocol: 2 });
    await client.subscribe('news');
    await expect(storeOf(client).ready()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringContaining('client.duplicate()'),
    });
  });

  it('reports missing permissions', async () => {
    const { port } = await serverWith();
    await clientOf(port).call('ACL', ['SETUSER', 'app', 'on', '>secret', '~sluice:*', '+@all', '-set']);
    const store = storeOf(clientOf(port, { username: 'app', password: 'secret' }));
    await expect(store.ready()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringContaining('+set'),
    });
  });

  it('needs only the permissions that it names, and none for INFO', async () => {
    const { port } = await serverWith();
    const rights = ['+evalsha', '+eval', '+get', '+set', '+del', '+unlink', '+time'];
    await clientOf(port).call('ACL', ['SETUSER', 'app', 'on', '>secret', '~sluice:*', '-@all', ...rights]);
    const client = clientOf(port, { username: 'app', password: 'secret', enableReadyCheck: false });
    await expect(storeOf(client).ready()).resolves.toBeUndefined();
  });

  it('reports that a replica cannot be written to', async () => {
    const primary = await serverWith();
    const replica = await serverWith('--replicaof', '127.0.0.1', `${primary.port}`);
    await expect(storeOf(clientOf(replica.port)).ready()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringContaining('read-only replica'),
    });
  });

  it('has a code for an error of Redis that nobody can explain', async () => {
    const { port } = await serverWith('--min-replicas-to-write', '1');
    await expect(storeOf(clientOf(port)).ready()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringContaining('NOREPLICAS'),
    });
  });

  it.each(['5.0.14', '6.0.20'])('refuses Redis %s', async (version) => {
    const store = withInfo(clientOf((await serverWith()).port), `# Server\r\nredis_version:${version}\r\n`);
    await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'client', received: version });
  });

  it.each(['6.2.0', '7.0.15', '8.2.1', '10.0.0'])('accepts Redis %s', async (version) => {
    const store = withInfo(clientOf((await serverWith()).port), `# Server\r\nredis_version:${version}\r\n`);
    await expect(store.ready()).resolves.toBeUndefined();
  });

  it('is not asked about itself by the first decisions', async () => {
    const commands: string[] = [];
    const client = clientOf((await serverWith()).port);
    const store = new RedisStore({
      client: clientOver(client, (command, args, send) => {
        commands.push(command);
        return send(command, args);
      }),
    });
    for (let i = 0; i < 3; i += 1) await store.consume({ checks: [], peek: true });
    expect(commands).not.toContain('INFO');
    await until(() => commands.includes('INFO'), 10);
    await store.close();
  });

  it.each(['allkeys-lru', 'volatile-ttl'])('warns once about %s, which may lose spent units', async (policy) => {
    const client = clientOf((await serverWith('--maxmemory', '100mb', '--maxmemory-policy', policy)).port);
    const warnings = await warningsOf(async () => {
      const store = storeOf(client);
      await store.consume({ checks: [], peek: true });
      await store.ready();
      await store.ready();
    });
    expect(warnings).toEqual([expect.objectContaining({ code: 'SLUICE_REDIS_EVICTS' })]);
  });

  it.each([
    ['evicts nothing', ['--maxmemory', '100mb', '--maxmemory-policy', 'noeviction']],
    ['is never full', ['--maxmemory-policy', 'allkeys-lru']],
  ])('does not warn about a Redis that %s', async (_, options) => {
    const client = clientOf((await serverWith(...options)).port);
    expect(await warningsOf(() => storeOf(client).ready())).toEqual([]);
  });
});

describe('close()', () => {
  it('waits for running calls', async () => {
    const store = storeOf(clientOf((await serverWith()).port));
    const replies = Promise.all(Array.from({ length: 50 }, () => store.consume({ checks: [], peek: true })));
    let isAnswered = false;
    replies.then(() => {
      isAnswered = true;
    });
    await store.close();
    expect(isAnswered).toBe(true);
    await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('waits for a frozen Redis at most until the deadline', async () => {
    const server = await serverWith();
    const store = new RedisStore({ client: clientOf(server.port), timeout: 50 });
    await store.ready();
    await server.freeze();
    void store.consume({ checks: [], peek: true });
    // Without this, the test would never end.
    await store.close();
  });
});
