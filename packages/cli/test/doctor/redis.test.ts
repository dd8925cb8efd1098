import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import { Diagnosis } from '../../src/doctor/diagnosis.js';
import { RedisConnection, RedisInfo } from '../../src/doctor/redis/redis-connection.js';
import { checkMemory, checkPersistence, checkReplicas, checkVersion } from '../../src/doctor/redis/redis-settings.js';
import { examined } from './examined.js';

let server: RedisServer;
let client: Redis;
const url = (of = server): string => `redis://127.0.0.1:${of.port}`;

beforeAll(async () => {
  server = await RedisServer.start(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);
  client = new Redis(server.port);
});

afterAll(async () => {
  client.disconnect();
  await server.stop();
});

describe('a Redis that decides', () => {
  it('has what is a risk named, and what was measured, and no key of the examination', async () => {
    const { exitCode, levels, said, finding } = await examined(url());
    expect(exitCode).toBe(0);
    expect(levels).toMatchObject({
      reachable: 'ok',
      version: 'ok',
      role: 'ok',
      permissions: 'ok',
      memory: 'warn',
      persistence: 'warn',
      replicas: 'ok',
      clock: 'ok',
      decisions: 'ok',
    });
    expect(said('memory')).toContain('Set maxmemory-policy noeviction');
    expect(said('persistence')).toContain('Set appendonly yes');
    expect(said('decisions')).toContain('with a limit of 3: 3 admitted, 2 refused.');
    expect(finding('latency')?.figures).toEqual({
      decisions: expect.any(Number),
      p50Ms: expect.any(Number),
      p99Ms: expect.any(Number),
      bareP50Ms: expect.any(Number),
      bareP99Ms: expect.any(Number),
    });
    expect(await client.dbsize()).toBe(0);
  });

  it('has its settings seen as they are', async () => {
    await client.config('SET', 'appendonly', 'yes', 'maxmemory-policy', 'noeviction');
    const { levels, said } = await examined(url());
    await client.config('SET', 'appendonly', 'no', 'maxmemory', '0', 'save', '3600 1');
    expect(levels).toMatchObject({ memory: 'ok', persistence: 'ok' });
    expect(said('persistence')).toContain('appendfsync everysec');
    expect((await examined(url())).said('persistence')).toContain('save is "3600 1"');
    await client.config('SET', 'save', '');
  });
});

describe('a user of Redis', () => {
  const ofUser = (name: string): string => `redis://${name}:secret@127.0.0.1:${server.port}`;
  const setUser = (name: string, ...rules: string[]) =>
    client.call('ACL', ['SETUSER', name, 'on', '>secret', 'resetkeys', '-@all', ...rules]);

  it('gets the command that grants what is missing', async () => {
    await setUser('app', '~other:*', '+@all', '-set', '-mget', '-@dangerous', '+info');
    const before = await examined(ofUser('app'));
    expect(before.exitCode).toBe(1);
    const [, grant = ''] = /Run (ACL SETUSER .*?),/.exec(before.said('permissions')) ?? [];
    expect(grant).toBe('ACL SETUSER app ~sluice:* +set +mget');
    const [command = '', ...rules] = grant.split(' ');
    await client.call(command, rules);
    const after = await examined(ofUser('app'));
    expect(after).toMatchObject({ exitCode: 0, levels: { permissions: 'ok', decisions: 'ok' } });
  });

  it('may lack what blocks need', async () => {
    const rights = ['+evalsha', '+eval', '+time', '+mget', '+get', '+set', '+setrange', '+del', '+unlink'];
    await setUser('plain', '~sluice:*', ...rights);
    const { exitCode, levels, said } = await examined(ofUser('plain'));
    expect(exitCode).toBe(0);
    expect(levels).toMatchObject({ permissions: 'warn', version: 'warn', decisions: 'ok' });
    expect(said('permissions')).toContain('+hset');
    expect(await client.dbsize()).toBe(0);
  });

  it('has another prefix named', async () => {
    await setUser('shop', '~shop:*', '+@all');
    expect((await examined(ofUser('shop'))).levels).toMatchObject({ permissions: 'fail' });
    expect((await examined(ofUser('shop'), '--prefix', 'shop:')).exitCode).toBe(0);
  });

  it('has a password that nobody sees', async () => {
    const { exitCode, text, said } = await examined(`redis://app:w%40rong-one@127.0.0.1:${server.port}/`);
    expect(exitCode).toBe(1);
    expect(said('reachable')).toContain('Write the right user name and password');
    expect(text).not.toMatch(/rong-one/);
  });
});

describe('a Redis that cannot decide', () => {
  it('is a replica', async () => {
    const replica = await RedisServer.start(['--replicaof', '127.0.0.1', `${server.port}`]);
    const { exitCode, levels, said } = await examined(url(replica));
    await replica.stop();
    expect({ exitCode, levels }).toMatchObject({ exitCode: 1, levels: { role: 'fail' } });
    expect(said('role')).toContain(`127.0.0.1:${server.port}`);
    expect(levels).not.toHaveProperty('decisions');
  });

  it('is not there', async () => {
    const { exitCode, said } = await examined(`redis://127.0.0.1:${await freePort()}`);
    expect(exitCode).toBe(1);
    expect(said('reachable')).toMatch(/ECONNREFUSED.*Start the server/);
  });

  it('hangs', async () => {
    await server.freeze();
    const startMs = performance.now();
    const { exitCode, said } = await examined(url(), '--timeout', '300');
    await server.thaw();
    expect(exitCode).toBe(1);
    expect(said('reachable')).toContain('See whether the server hangs');
    expect(performance.now() - startMs).toBeLessThan(3000);
  });
});

it('A cluster is decided about by a client for clusters', async () => {
  const cluster = await RedisCluster.start();
  try {
    const { exitCode, levels, said } = await examined(url(cluster.servers[0]));
    expect(exitCode).toBe(0);
    expect(levels).toMatchObject({ cluster: 'ok', decisions: 'ok' });
    expect(said('cluster')).toContain('3 primaries serve all 16384 slots');
  } finally {
    await cluster.stop();
  }
});

describe('what INFO tells', () => {
  /** A server whose settings are these. */
  function told(info: string, settings: Readonly<Record<string, string>> = {}) {
    const diagnosis = new Diagnosis();
    const redis = new RedisConnection({
      call: async (_: string, [, name = '']: string[]) => ({ [name]: settings[name] }),
    } as unknown as Redis);
    return { diagnosis, redis, info: new RedisInfo(info.replaceAll('\n', '\r\n')) };
  }
  const levelOf = ({ diagnosis }: { readonly diagnosis: Diagnosis }) => diagnosis.findings.map(({ level }) => level);

  it.each([
    ['redis_version:6.0.20', 'fail'],
    ['redis_version:6.2.0', 'ok'],
    ['redis_version:10.0.0', 'ok'],
    ['redis_version:7.2.4\nvalkey_version:8.0.1', 'ok'],
  ])('says that %s is %s', (info, level) => {
    const server = told(info);
    expect(checkVersion(server)).toBe(level === 'ok');
    expect(levelOf(server)).toEqual([level]);
  });

  it('says that a Redis is nearly full', () => {
    const server = told('used_memory:95\nmaxmemory:100\nmaxmemory_policy:noeviction');
    checkMemory(server);
    expect(levelOf(server)).toEqual(['warn']);
  });

  it('says that a snapshot failed', async () => {
    const server = told('rdb_last_bgsave_status:err\naof_enabled:0');
    await checkPersistence(server);
    expect(levelOf(server)).toEqual(['warn']);
  });

  it.each([
    [0, '0', 'ok'],
    [2, '0', 'warn'],
    [2, '1', 'ok'],
    [0, '1', 'fail'],
  ])('says of %d replicas, of which %s have to be connected: %s', async (replicas, least, level) => {
    const server = told(`connected_slaves:${replicas}`, { 'min-replicas-to-write': least });
    await checkReplicas(server);
    expect(levelOf(server)).toEqual([level]);
  });

  it('says nothing of a setting that the user may not read', async () => {
    const server = told('connected_slaves:2');
    await checkReplicas(server);
    expect(levelOf(server)).toEqual(['ok']);
  });
});
