import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Decision, type Limiter, type SluiceEvents, subscribe } from '@sluice/core';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { until } from '@sluice/test-kit/until';
import { type Cluster, Redis } from 'ioredis';
import { Callers, DEFAULT_MS, sleep, slownessOf } from './callers.js';

const LIMIT = { limit: 1_000_000, window: '1h' } as const;
/** So many at a time: up to 4,000 a second, and fewer where the machine takes longer for them. */
const BATCH = 40;
const BATCH_MS = 10;
const FROZEN_MS = 1500;
/** A node is frozen for so many deadlines at least, so that what is lost before its breaker opens is a small part. */
const FROZEN_DEADLINES = 10;
/** The first is that of a store by default, the next is twice as long, and so on. */
const [FIRST_DEADLINE_MS, LAST_DEADLINE_MS] = [DEFAULT_MS, 3200] as const;
/** Of the keys of healthy nodes: none on an idle machine; behind one breaker for all nodes it was most of them. */
const MOST_ASTRAY = 0.1;

let cluster: RedisCluster;
let client: Cluster;
let callers: Callers;
/** Users by the place of the server that has them. */
let users: string[][];

beforeEach(async () => {
  cluster = await RedisCluster.start();
  client = cluster.connect();
  await client.ping();
  callers = new Callers();
  const ports = cluster.servers.map(({ port }) => `127.0.0.1:${port}`);
  const { placement } = callers.storeOver(client).remote;
  users = ports.map(() => []);
  for (let i = 0; i < 300; i += 1) {
    const key = `user-${i}`;
    users[ports.indexOf(placement?.nodeOf({ policy: '', name: '', key }) ?? '')]?.push(key);
  }
}, 180_000);

afterEach(async () => {
  await cluster.servers[0]?.thaw();
  await callers.close();
  client.disconnect();
  await cluster.stop();
});

/** How many were answered by the store, and otherwise. */
interface Counts {
  store: number;
  other: number;
}

/** Asks for all users in turn, so long, and counts who answered, by the place of the user's server. */
async function load(limiter: Limiter<string, true>, ms: number): Promise<Counts[]> {
  const counters = users.map(() => ({ store: 0, other: 0 }));
  const asked: Promise<void>[] = [];
  const endMs = performance.now() + ms;
  let sent = 0;
  while (performance.now() < endMs) {
    for (const batchEnd = sent + BATCH; sent < batchEnd; sent += 1) {
      const index = sent % users.length;
      const own = users[index] as string[];
      asked.push(
        limiter.consume(own[sent % own.length] as string).then(({ source }) => {
          (counters[index] as Counts)[source === 'store' ? 'store' : 'other'] += 1;
        }),
      );
    }
    await sleep(BATCH_MS);
  }
  await Promise.all(asked);
  return counters;
}

/** Pings the healthy nodes while the work is done, and resolves with the longest time that one of them took. */
async function longestPingMs(work: () => Promise<void>): Promise<number> {
  let longestMs = 0;
  let isOver = false;
  const pinging = cluster.servers.slice(1).map(async ({ port }) => {
    const node = new Redis(port);
    while (!isOver) {
      const startMs = performance.now();
      await node.ping();
      longestMs = Math.max(longestMs, performance.now() - startMs);
      await sleep(1);
    }
    node.disconnect();
  });
  await work();
  isOver = true;
  await Promise.all(pinging);
  return longestMs;
}

/** Freezes the first node under load, and resolves with what was answered meanwhile. */
async function freezeUnderLoad(deadlineMs: number) {
  const [frozen] = cluster.servers;
  const store = callers.storeOver(client, deadlineMs);
  const limiter = createLimiter({ ...LIMIT, name: `within-${deadlineMs}`, store });
  await load(limiter, 500);
  await Promise.all(users.map(([own = '']) => callers.untilBack(limiter, own)));
  const events: SluiceEvents['sluice:breaker'][] = [];
  const stop = subscribe('sluice:breaker', (event) => events.push(event));
  let counters: Counts[] = [];
  const pingMs = await longestPingMs(async () => {
    await frozen?.freeze();
    counters = await load(limiter, Math.max(FROZEN_MS, FROZEN_DEADLINES * deadlineMs));
    await frozen?.thaw();
  });
  stop();
  const [own, ...healthy] = counters;
  const others = healthy.reduce((sum, { store, other }) => sum + store + other, 0);
  const astray = healthy.reduce((sum, { other }) => sum + other, 0);
  await callers.untilBack(limiter, users[0]?.[0]);
  return { own, others, share: astray / others, events, pingMs };
}

describe('While one node of three is frozen, at up to 4,000 decisions a second', () => {
  it('keys of the others are decided by Redis, and its own again when it continues', async () => {
    const [frozen] = cluster.servers;
    const nodes = cluster.servers.map(({ port }) => new Redis(port));
    // No node is to be taken for failed, however long it is frozen.
    await Promise.all(nodes.map((node) => node.config('SET', 'cluster-node-timeout', '120000')));
    for (const node of nodes) node.disconnect();
    let deadlineMs: number = FIRST_DEADLINE_MS;
    let seen = await freezeUnderLoad(deadlineMs);
    // Where even a ping waits for so long, so do decisions: such a machine needs a longer deadline to show anything.
    while (seen.share > MOST_ASTRAY && seen.pingMs > deadlineMs / 2 && deadlineMs < LAST_DEADLINE_MS) {
      deadlineMs *= 2;
      seen = await freezeUnderLoad(deadlineMs);
    }
    const { own, others, share, events } = seen;
    expect(events).toContainEqual({ state: 'open', node: `127.0.0.1:${frozen?.port}` });
    expect(own?.store).toBe(0);
    // All are asked equally often: two healthy nodes twice as often as the one that is frozen.
    expect(others).toBeGreaterThanOrEqual(2 * BATCH);
    expect(own?.other).toBeGreaterThanOrEqual(others / 2 - 1);
    expect(share).toBeLessThanOrEqual(MOST_ASTRAY);
  }, 300_000);

  it('a request with a key on it and one on another node is decided by the fallback as a whole, and spends nothing', async () => {
    // Twice the default, and longer where the machine is slow.
    const deadlineMs = 2 * DEFAULT_MS * Math.max(...(await Promise.all(client.nodes('master').map(slownessOf))));
    const store = callers.storeOver(client, deadlineMs);
    const [ours, theirs] = [users[0]?.[0], users[1]?.[0]] as [string, string];
    const keys: Record<string, string> = { frozen: ours, healthy: theirs };
    const limiter = createLimiter({
      name: 'both',
      store,
      onStoreError: 'deny',
      limits: Object.keys(keys).map((name) => ({ ...LIMIT, name, keyGenerator: () => keys[name] as string })),
    });
    const single = createLimiter({ ...LIMIT, name: 'single', store, onStoreError: 'deny' });
    await callers.untilBack(single, ours);
    const first = await limiter.reserve('x');
    expect(first.source).toBe('store');
    await first.cancel();
    await cluster.servers[0]?.freeze();
    await until(async () => (await single.consume(ours)).source !== 'store', 5);
    for (let i = 0; i < 10; i += 1) await single.consume(ours);
    const startMs = performance.now();
    const answers: Decision[] = [];
    for (let i = 0; i < 100; i += 1) answers.push(await limiter.consume('x'));
    expect((performance.now() - startMs) / 100).toBeLessThan(deadlineMs / 5);
    expect(new Set(answers.map(({ source }) => source))).toEqual(new Set(['deny']));
    await cluster.servers[0]?.thaw();
    await callers.untilBack(single, ours);
    const { verdicts } = await limiter.peek('x');
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([LIMIT.limit, LIMIT.limit]);
  });

  it('keys that another node has taken over meanwhile are decided there', async () => {
    const subject = users[0]?.[0] as string;
    const limiter = createLimiter({ ...LIMIT, store: callers.storeOver(client), onStoreError: 'deny' });
    await callers.untilBack(limiter, subject);
    const slot = Number(await client.cluster('KEYSLOT', `{${subject}}`));
    await cluster.servers[0]?.freeze();
    while ((await limiter.consume(subject)).source === 'store') await sleep(5);
    for (let i = 0; i < 10; i += 1) await limiter.consume(subject);
    const others = cluster.servers.slice(1).map(({ port }) => new Redis(port));
    const owner = String(await others[0]?.call('CLUSTER', ['MYID']));
    await Promise.all(others.map((node) => node.call('CLUSTER', ['SETSLOT', slot, 'NODE', owner])));
    for (const node of others) node.disconnect();
    const startMs = performance.now();
    while ((await limiter.consume(subject)).source !== 'store') {
      // The client waits for a node that does not know for a second, and then asks another. Otherwise this took for ever.
      expect(performance.now() - startMs).toBeLessThan(60_000);
      await sleep(20);
    }
  });
});
