import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Decision, type Limiter, type SluiceEvents, subscribe } from '@sluice/core';
import { type Cluster, Redis } from 'ioredis';
import { until } from '../../../core/test/until.js';
import { RedisCluster } from '../redis-cluster.js';
import { Audience, sleep } from './audience.js';

const LIMIT = { limit: 1_000_000, window: '1h' } as const;
const PER_SECOND = 4000;
const BATCH_MS = 10;
const FROZEN_MS = 1500;
/** That of a store by default. */
const DEADLINE_MS = 50;
/**
 * How often a node is frozen, at most: a machine that is busy with other tests may hold up the other nodes, too, for
 * longer than the deadline. Whatever took their keys from them along with the frozen one would do so every time.
 */
const MOST_TRIES = 5;
/** Of the keys of healthy nodes: none on an idle machine; behind one breaker for all nodes it was most of them. */
const MOST_ASTRAY = 0.1;

let cluster: RedisCluster;
let client: Cluster;
let audience: Audience;
/** Users by the place of the server that has them. */
let users: string[][];

beforeEach(async () => {
  cluster = await RedisCluster.start();
  client = cluster.connect();
  await client.ping();
  audience = new Audience();
  const ports = cluster.servers.map(({ port }) => `127.0.0.1:${port}`);
  const { placement } = audience.storeOver(client).remote;
  users = ports.map(() => []);
  for (let i = 0; i < 300; i += 1) {
    const key = `user-${i}`;
    users[ports.indexOf(placement?.nodeOf({ policy: '', name: '', key }) ?? '')]?.push(key);
  }
}, 180_000);

afterEach(async () => {
  await cluster.servers[0]?.thaw();
  await audience.leave();
  client.disconnect();
  await cluster.stop();
});

interface Tally {
  store: number;
  other: number;
}

/** Asks for all users in turn, so many times a second, and counts who answered, by the place of the user's server. */
async function load(limiter: Limiter<string, true>, ms: number): Promise<Tally[]> {
  const counters = users.map(() => ({ store: 0, other: 0 }));
  const asked: Promise<void>[] = [];
  const startMs = performance.now();
  let sent = 0;
  while (performance.now() < startMs + ms) {
    const due = Math.floor(((performance.now() - startMs) * PER_SECOND) / 1000);
    for (; sent < due; sent += 1) {
      const place = sent % users.length;
      const own = users[place] as string[];
      asked.push(
        limiter.consume(own[sent % own.length] as string).then(({ source }) => {
          (counters[place] as Tally)[source === 'store' ? 'store' : 'other'] += 1;
        }),
      );
    }
    await sleep(BATCH_MS);
  }
  await Promise.all(asked);
  return counters;
}

describe('While one node of three is frozen, at 4,000 decisions a second', () => {
  it('keys of the others are decided by Redis, and its own again when it is back', async () => {
    const [frozen] = cluster.servers;
    const limiter = createLimiter({ ...LIMIT, store: audience.storeOver(client, DEADLINE_MS) });
    const whileFrozen = async () => {
      await Promise.all(users.map(([own = '']) => audience.untilBack(limiter, own)));
      // Until this machine keeps up with so many.
      for (let tries = 0; tries < 20; tries += 1) {
        const counters = await load(limiter, 500);
        if (counters.every(({ other }) => other === 0)) break;
      }
      const events: SluiceEvents['sluice:breaker'][] = [];
      const stop = subscribe('sluice:breaker', (event) => events.push(event));
      await frozen?.freeze();
      const [own, ...others] = await load(limiter, FROZEN_MS);
      await frozen?.thaw();
      stop();
      const healthy = others.reduce((sum, { store }) => sum + store, 0);
      const astray = others.reduce((sum, { other }) => sum + other, 0);
      return { own, healthy, share: astray / (healthy + astray), events };
    };
    let seen = await whileFrozen();
    for (let tries = 1; tries < MOST_TRIES && seen.share > MOST_ASTRAY; tries += 1) seen = await whileFrozen();
    const { own, healthy, share, events } = seen;
    expect(events[0]).toEqual({ state: 'open', node: `127.0.0.1:${frozen?.port}` });
    expect(own?.store).toBe(0);
    expect(own?.other).toBeGreaterThan(1000);
    expect(healthy).toBeGreaterThan(2000);
    expect(share).toBeLessThanOrEqual(MOST_ASTRAY);
    await audience.untilBack(limiter, users[0]?.[0]);
  }, 120_000);

  it('a request for a key of it and one of another is answered whole, and spends nothing', async () => {
    const store = audience.storeOver(client);
    const [ours, theirs] = [users[0]?.[0], users[1]?.[0]] as [string, string];
    const keys: Record<string, string> = { frozen: ours, healthy: theirs };
    const limiter = createLimiter({
      name: 'both',
      store,
      onStoreError: 'deny',
      limits: Object.keys(keys).map((name) => ({ ...LIMIT, name, keyGenerator: () => keys[name] as string })),
    });
    const single = createLimiter({ ...LIMIT, name: 'single', store, onStoreError: 'deny' });
    await audience.untilBack(single, ours);
    const first = await limiter.reserve('x');
    expect(first.source).toBe('store');
    await first.cancel();
    await cluster.servers[0]?.freeze();
    await until(async () => (await single.consume(ours)).source !== 'store', 5);
    for (let i = 0; i < 10; i += 1) await single.consume(ours);
    const startMs = performance.now();
    const answers: Decision[] = [];
    for (let i = 0; i < 100; i += 1) answers.push(await limiter.consume('x'));
    expect((performance.now() - startMs) / 100).toBeLessThan(20);
    expect(new Set(answers.map(({ source }) => source))).toEqual(new Set(['deny']));
    await cluster.servers[0]?.thaw();
    await audience.untilBack(single, ours);
    const { verdicts } = await limiter.peek('x');
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([LIMIT.limit, LIMIT.limit]);
  });

  it('keys that another node has taken over meanwhile are decided there', async () => {
    const subject = users[0]?.[0] as string;
    const limiter = createLimiter({ ...LIMIT, store: audience.storeOver(client), onStoreError: 'deny' });
    await audience.untilBack(limiter, subject);
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
      // The client waits for a node that does not know for a second, and then asks another.
      expect(performance.now() - startMs).toBeLessThan(5000);
      await sleep(20);
    }
  });
});
