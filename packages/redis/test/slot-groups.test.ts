import { beforeEach, describe, expect, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { concurrency, fixedWindow, type LimitCheck, leakyBucket, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { SEVERAL_SERVERS } from '@sluice/test-kit/store-claims';
import type { Redis } from 'ioredis';
import { type RedisClient, RedisStore } from '../src/index.js';
import { type Between, clientOver } from './client-over.js';

let client: Redis;
/** A real server whose client says that it is a cluster: keys of different subjects are then never in one call. */
let cluster: RedisClient;

withRedis((given) => {
  client = given;
  cluster = clientOver(client, (command, args, send) => send(command, args), { isCluster: true });
});

// A real cluster passes it in `cluster.test.ts`, where the keys of a subject are in one slot.
if (process.env.SLUICE_SUITES === 'full') {
  storeSuite(
    'RedisStore over a cluster, by policy',
    async (clock) => {
      await client.flushall();
      return new RedisStore({ client: cluster, clock, hashTag: 'policy', timeout: '5s' });
    },
    SEVERAL_SERVERS,
    { describe, it },
  );
}

describe('checks whose keys are in different slots', () => {
  let clock: ManualClock;
  let store: RedisStore;
  const check = (key: string, own: Partial<LimitCheck> = {}): LimitCheck => ({
    policy: 'p',
    name: 'n',
    key,
    limit: fixedWindow({ limit: 2, window: '1m' }),
    cost: 1,
    ...own,
  });
  const remaining = async (...checks: LimitCheck[]): Promise<number[]> =>
    (await store.consume({ checks, peek: true })).verdicts.map((verdict) => verdict.remaining);

  beforeEach(async () => {
    await client.flushall();
    clock = new ManualClock();
    store = new RedisStore({ client: cluster, clock, timeout: '5s' });
  });

  it('are decided together, in the order of the request', async () => {
    const reply = await store.consume({ checks: [check('ann'), check('bob', { cost: 2 })] });
    expect(reply.allowed).toBe(true);
    expect(reply.verdicts.map((verdict) => verdict.remaining)).toEqual([1, 0]);
  });

  it('give their units back if one of them refuses', async () => {
    await store.consume({ checks: [check('bob', { cost: 2 })] });
    const reply = await store.consume({ checks: [check('ann'), check('bob'), check('cid')] });
    expect(reply.allowed).toBe(false);
    expect(reply.verdicts.map(({ allowed }) => allowed)).toEqual([true, false, true]);
    expect(await remaining(check('ann'), check('bob'), check('cid'))).toEqual([2, 0, 2]);
  });

  it('give their units back if one of them gets no reply in time', async () => {
    const hangingFor: Between = (command, args, send) =>
      String(args[2]).includes('{bob}') ? new Promise(() => {}) : send(command, args);
    const hanging = new RedisStore({
      client: clientOver(client, hangingFor, { isCluster: true }),
      clock,
      timeout: '50ms',
    });
    const asked = hanging.consume({ checks: [check('ann'), check('bob')] });
    await expect(asked).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    expect(await remaining(check('ann'))).toEqual([2]);
  });

  it('spend nothing on a shadow check if an enforced one refuses, in any order', async () => {
    const shadow = check('ann', { shadow: true });
    await store.consume({ checks: [check('bob', { cost: 2 })] });
    await store.consume({ checks: [shadow, check('bob')] });
    expect(await remaining(check('ann'))).toEqual([2]);
  });

  it('spend nothing on a shadow leaky bucket, which gives nothing back, if another one refuses', async () => {
    const limit = leakyBucket({ capacity: 2, leakRate: 1 });
    const [shadow, queue] = [check('ann', { limit, shadow: true }), check('bob', { limit })];
    await store.consume({ checks: [{ ...queue, cost: 2 }] });
    await store.consume({ checks: [shadow, queue] });
    expect(await remaining(check('ann', { limit }))).toEqual([2]);
  });

  it('never exceed a limit with simultaneous callers', async () => {
    const limit = tokenBucket({ capacity: 10, refillRate: 0 });
    const checks = [check('ann', { limit, name: 'b' }), check('all', { limit, name: 'b' })];
    const replies = await Promise.all(Array.from({ length: 50 }, () => store.consume({ checks })));
    expect(replies.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(10);
    const [ann, all] = await remaining(...checks);
    expect(ann).toBe(all);
  });

  it('get the first reply if they are repeated by one id, also with a shadow leaky bucket', async () => {
    const queue = check('ann', { name: 'queue', limit: leakyBucket({ capacity: 5, leakRate: 1 }), shadow: true });
    const ask = { checks: [check('ann'), queue, check('bob')], id: 'held', holdMs: 60_000 };
    const first = await store.consume(ask);
    expect(first.verdicts.map(({ name, used }) => [name, used])).toEqual([
      ['n', 1],
      ['queue', 1],
      ['n', 1],
    ]);
    await expect(store.consume(ask)).resolves.toMatchObject(first);
  });

  it('are all given back if they were asked by one id, with or without a shadow leaky bucket', async () => {
    const queue = check('ann', { name: 'queue', limit: leakyBucket({ capacity: 5, leakRate: 1 }), shadow: true });
    const slot = check('ann', { name: 'slot', limit: concurrency({ limit: 1, lease: '1m' }) });
    await store.consume({ checks: [check('bob', { cost: 2 })] });
    const refused = await store.consume({ checks: [check('ann'), slot, queue, check('bob')], id: 'a', holdMs: 60_000 });
    expect(refused.allowed).toBe(false);
    expect(await remaining(check('ann'), slot, queue)).toEqual([2, 1, 5]);
  });

  it('are corrected in each slot', async () => {
    await store.consume({ checks: [check('ann'), check('bob')] });
    const back = [check('ann', { cost: -1 }), check('bob', { cost: -1 })];
    await expect(store.adjust({ checks: back, id: 'x' })).resolves.toMatchObject({ result: 'applied' });
    await expect(store.adjust({ checks: back, id: 'x' })).resolves.toMatchObject({ result: 'repeated' });
    await store.adjust({ checks: [check('bob')] });
    const charged = await store.adjust({ checks: [check('bob', { cost: 2 }), check('ann')] });
    expect(charged.verdicts.map(({ cost, used, allowed }) => [cost, used, allowed])).toEqual([
      [1, 3, false],
      [1, 1, true],
    ]);
    await store.adjust({ checks: [check('bob', { cost: -3 }), check('ann', { cost: -1 })] });
    expect(await remaining(check('ann'), check('bob'))).toEqual([2, 2]);
  });
});
