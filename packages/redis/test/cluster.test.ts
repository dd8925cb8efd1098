import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLimiter, tokenBucket } from '@sluice/core';
import { storeSuite } from '@sluice/core/testing';
import type { Cluster } from 'ioredis';
import { encodeKey } from '../../core/src/key.js';
import { ResilientStore } from '../../core/src/resilience/resilient-store.js';
import { type RedisClient, RedisStore } from '../src/index.js';
import { RedisCluster } from './redis-cluster.js';

let cluster: RedisCluster;
let client: Cluster;

beforeAll(async () => {
  cluster = await RedisCluster.start();
  client = cluster.connect();
  await client.ping();
}, 60_000);

afterAll(async () => {
  await client?.quit();
  await cluster?.stop();
});

const flushAll = () => Promise.all(client.nodes('master').map((node) => node.flushall()));

storeSuite(
  'RedisStore over a real cluster',
  async (clock) => {
    await flushAll();
    return new RedisStore({ client, clock });
  },
  { describe, it },
);

storeSuite(
  'RedisStore over a real cluster, behind its deadline and breaker',
  async (clock) => {
    await flushAll();
    return new ResilientStore(new RedisStore({ client, clock, timeout: '5s' }));
  },
  { describe, it },
);

describe('a policy whose limits have subjects of their own', () => {
  it('is admitted by all of its limits or spends nothing, whatever nodes they live on', async () => {
    const store = new RedisStore({ client, timeout: '5s' });
    const limit = tokenBucket({ capacity: 20, refillRate: 0 });
    const limiter = createLimiter({
      name: 'across-nodes',
      store,
      limits: [
        { name: 'user', limit },
        { name: 'all', limit, keyGenerator: () => 'everyone' },
      ],
    });
    const users = ['ann', 'bob', 'cid', 'dan', 'eve'];
    const decisions = await Promise.all(Array.from({ length: 100 }, (_, i) => limiter.consume(users[i % 5] as string)));
    const admitted = decisions.filter(({ allowed }) => allowed).length;
    expect(admitted).toBeLessThanOrEqual(20);
    const looks = await Promise.all(users.map((user) => limiter.peek(user)));
    const spent = looks.map(({ verdicts }) => 20 - (verdicts[0]?.remaining as number)).reduce((a, b) => a + b);
    expect(spent).toBe(admitted);
    expect(looks[0]?.verdicts[1]?.remaining).toBe(20 - admitted);
  });
});

it('knows the slot and the node of a key, whatever is in it', async () => {
  const { placement } = new RedisStore({ client }).remote;
  for (const key of ['ann', '{', '}{', 'ann:1', '', 'Zoë', '東京', '\u{1f600}', 'x'.repeat(100)]) {
    const [policy, name] = ['p', 'n'];
    const limiter = createLimiter({
      name: policy,
      limit: { ...tokenBucket({ capacity: 20, refillRate: 0 }), name },
      store: new RedisStore({ client, prefix: 'placed:', timeout: '5s' }),
    });
    await limiter.consume(key);
    const keys = (
      await Promise.all(
        client.nodes('master').map(async (node) => [node.options.port, await node.keys('placed:*')] as const),
      )
    ).filter(([, own]) => own.length > 0);
    expect(keys).toHaveLength(1);
    expect(placement?.nodeOf({ policy, name, key: encodeKey(key) })).toBe(`127.0.0.1:${keys[0]?.[0]}`);
    await limiter.reset(key);
  }
});

it('is brought its script node by node: one that hangs over it holds up no other', async () => {
  const subjects = new Map<number, string>();
  for (const subject of ['ann', 'bob', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal']) {
    subjects.set(await cluster.ownerOf(Number(await client.cluster('KEYSLOT', `{${subject}}`))), subject);
  }
  const [hung, other] = [subjects.get(0), subjects.get(1)] as [string, string];
  let hangs = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    hangs = resolve;
  });
  const call: RedisClient['call'] = async (command, args) => {
    if (command === 'EVAL' && String(args[2]).includes(hung)) {
      await cluster.servers[0]?.freeze();
      hangs();
    }
    return client.call(command, args);
  };
  const store = new RedisStore({ client: { status: 'ready', isCluster: true, call }, timeout: '500ms' });
  const limiter = createLimiter({ name: 'node-by-node', limit: 5, window: '1h', store });
  await limiter.consume(other);
  await Promise.all(client.nodes('master').map((node) => node.script('FLUSH')));
  const held = limiter.consume(hung);
  await hanging;
  const decision = await limiter.consume(other);
  await held;
  await cluster.servers[0]?.thaw();
  expect(decision).toMatchObject({ source: 'store', tightest: { remaining: 3 } });
});
