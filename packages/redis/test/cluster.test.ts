import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { createLimiter, tokenBucket } from '@sluice/core';
import { encodeKey } from '@sluice/core/src/values/key';
import { FreshStore } from '@sluice/test-kit/fresh-store';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { PEEKS_OF_SHARED_CODE, SEVERAL_SERVERS } from '@sluice/test-kit/store-claims';
import type { Cluster } from 'ioredis';
import { RedisStore } from '../src/index.js';
import { type Between, clientOver } from './client-over.js';

let cluster: RedisCluster;
let client: Cluster;

beforeAll(async () => {
  cluster = await RedisCluster.start();
  client = cluster.connect();
  await client.ping();
}, 180_000);

afterAll(async () => {
  await client?.quit();
  await cluster?.stop();
});

const flushAll = () => Promise.all(client.nodes('master').map((node) => node.flushall()));

storeSuite(
  'RedisStore over a real cluster',
  async (clock) => {
    await flushAll();
    return new RedisStore({ client, clock, timeout: '5s' });
  },
  SEVERAL_SERVERS,
  { describe, it, peeks: PEEKS_OF_SHARED_CODE },
);

// The breaker is the same over one server, where it is always tested.
if (process.env.SLUICE_SUITES === 'full') {
  storeSuite(
    'RedisStore over a real cluster, behind its deadline and breaker',
    async (clock) => {
      await flushAll();
      return new FreshStore(new RedisStore({ client, clock, timeout: '5s' }));
    },
    SEVERAL_SERVERS,
    { describe, it },
  );
}

describe('a policy whose limits have different subjects', () => {
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

it('knows the slot and the node of any key', async () => {
  const store = new RedisStore({ client, prefix: 'placed:', timeout: '5s' });
  const name = 'placed';
  const limiter = createLimiter({ limit: tokenBucket({ name, capacity: 20, refillRate: 0 }), name, store });
  const portsWithKeys = async (): Promise<unknown[]> => {
    const masters = client.nodes('master');
    const counts = await Promise.all(masters.map(async (node) => (await node.keys('placed:*')).length));
    return masters.filter((_, i) => counts[i] !== 0).map((node) => node.options.port);
  };
  for (const key of ['ann', '{', '}{', 'ann:1', '', 'Zoë', '東京', '\u{1f600}', 'x'.repeat(100)]) {
    await limiter.consume(key);
    const node = store.remote.placement?.nodeOf({ policy: name, name, key: encodeKey(key) });
    expect((await portsWithKeys()).map((port) => `127.0.0.1:${port}`)).toEqual([node]);
    await limiter.reset(key);
  }
});

it('gets its script node by node: a hanging node delays no other', async () => {
  const subjects = new Map<number, string>();
  for (const subject of ['ann', 'bob', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal']) {
    subjects.set(await cluster.ownerOf(Number(await client.cluster('KEYSLOT', `{${subject}}`))), subject);
  }
  const [hung, other] = [subjects.get(0), subjects.get(1)] as [string, string];
  let hangs = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    hangs = resolve;
  });
  const freezing: Between = async (command, args, send) => {
    if (command === 'EVAL' && String(args[2]).includes(hung)) {
      await cluster.servers[0]?.freeze();
      hangs();
    }
    return send(command, args);
  };
  const store = new RedisStore({ client: clientOver(client, freezing, { isCluster: true }), timeout: '500ms' });
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
