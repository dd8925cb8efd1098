import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, type PolicyOptions, tokenBucket } from '@sluice/core';
import { encodeKey } from '@sluice/core/src/values/key';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { until } from '@sluice/test-kit/until';
import { type Cluster, Redis } from 'ioredis';
import { type RedisClient, RedisStore } from '../../src/index.js';
import { type Between, clientOver } from '../client-over.js';
import { SlotMove } from '../slot-move.js';
import { admittedOf, Callers, CHOICES, sleep, sourcesOf } from './callers.js';

/** So that no outcome is unknown, also on a busy machine. */
const AMPLE_MS = 20_000;

const CAPACITY = 1000;
const bucket = tokenBucket({ capacity: CAPACITY, refillRate: 0 });
const single = { name: 'single', limit: bucket } as const;
/** Two keys of one slot, which one script reads. */
const pair = {
  name: 'pair',
  limits: [
    { name: 'burst', limit: bucket },
    { name: 'daily', limit: bucket },
  ],
} as const;

let before: number;
let cluster: RedisCluster;
let client: Cluster;
let callers: Callers;
/** What the client still has to answer, be it that nobody waits for it any more. */
let unanswered: Set<Promise<unknown>>;
let watched: RedisClient;

beforeAll(async () => {
  before = timersAndSockets();
  cluster = await RedisCluster.start();
  client = cluster.connect({ maxRedirections: 1000 });
  await client.ping();
}, 180_000);

beforeEach(async () => {
  callers = new Callers();
  unanswered = new Set();
  const noting: Between = (command, args, send) => {
    const answer = send(command, args);
    unanswered.add(answer);
    return answer;
  };
  watched = clientOver(client, noting, { isCluster: true });
  await Promise.all(client.nodes('master').map((node) => node.config('RESETSTAT')));
});

afterEach(() => callers.close());

afterAll(async () => {
  await client?.quit();
  await cluster?.stop();
  for (let tries = 0; timersAndSockets() > before && tries < 1000; tries += 1) await sleep(10);
  expect(timersAndSockets()).toBeLessThanOrEqual(before);
});

/** Those that keep a process alive. */
function timersAndSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name)).length;
}

async function slotOf(subject: string): Promise<number> {
  return Number(await client.cluster('KEYSLOT', `{${subject}}`));
}

/** What Redis holds, by another store than that under test. */
async function remaining(options: PolicyOptions<[subject: string]>, subject: string): Promise<number> {
  const store = callers.storeOver(client, AMPLE_MS);
  const decision = await createLimiter({ ...options, store }).peek(subject);
  await store.close();
  expect(decision.source).toBe('store');
  return decision.tightest.remaining;
}

/** How often the nodes have answered with an error of that name. */
async function errorsOf(name: string): Promise<number> {
  const stats = await Promise.all(client.nodes('master').map((node) => node.info('errorstats')));
  const counts = stats.map((text) => Number(new RegExp(`^errorstat_${name}:count=(\\d+)`, 'm').exec(text)?.[1] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('While a slot moves to another node', () => {
  it('a key that has moved already is decided there, by a node that first has to get the script', async () => {
    const limiter = createLimiter({ ...single, store: callers.storeOver(watched, AMPLE_MS) });
    await callers.ask(limiter);
    const before = await cluster.ownerOf(await slotOf('ann'));
    const move = await SlotMove.begin(cluster, await slotOf('ann'));
    await move.take(...(await move.keys()));
    await move.target.script('FLUSH');
    await callers.ask(limiter);
    expect(await move.keys()).toEqual([]);
    expect(await errorsOf('ASK')).toBe(2);
    await move.end();
    const { placement } = new RedisStore({ client }).remote;
    const nodeOfAnn = () => placement?.nodeOf({ policy: 'single', name: 'single', key: encodeKey('ann') });
    expect(nodeOfAnn()).toBe(`127.0.0.1:${cluster.servers[before]?.port}`);
    await callers.ask(limiter);
    // From then on the guard of the node that has it stands before it.
    expect(nodeOfAnn()).toBe(`127.0.0.1:${move.target.options.port}`);
    expect(sourcesOf(callers.answers)).toEqual(new Set(['store']));
    expect(await remaining(single, 'ann')).toBe(CAPACITY - 3);
  });

  it.each([single, pair])(
    'each request for it is charged once, even if many are redirected: $name',
    async (options) => {
      const subject = `moving-${options.name}`;
      const limiter: Limiter<string, true> = createLimiter({
        ...options,
        store: callers.storeOver(watched, AMPLE_MS),
      });
      await callers.ask(limiter, subject);
      for (let times = 0; times < 2; times += 1) {
        const move = await SlotMove.begin(cluster, await slotOf(subject));
        const load = callers.askFor(limiter, 150, 5, subject);
        await sleep(50);
        await move.take((await move.keys())[0] as string);
        await sleep(50);
        await move.end();
        await load;
      }
      expect(await errorsOf('MOVED')).toBeGreaterThan(0);
      expect(await errorsOf(options === pair ? 'TRYAGAIN' : 'ASK')).toBeGreaterThan(0);
      expect(admittedOf(callers.answers)).toBe(callers.answers.length);
      expect(await remaining(options, subject)).toBe(CAPACITY - callers.answers.length);
      while (callers.answers.length <= CAPACITY) await callers.askFor(limiter, 50, 50, subject);
      expect(sourcesOf(callers.answers)).toEqual(new Set(['store']));
      expect(admittedOf(callers.answers)).toBe(CAPACITY);
    },
  );

  it.each(CHOICES)('and one key of a pair has moved already, onStoreError decides: %s', async (onStoreError) => {
    const subject = `torn-${onStoreError}`;
    const store = callers.storeOver(watched);
    const limiter = createLimiter({ ...pair, store, onStoreError });
    await callers.untilBack(limiter, subject);
    const held = await remaining(pair, subject);
    const move = await SlotMove.begin(cluster, await slotOf(subject));
    await move.take((await move.keys())[0] as string);
    expect(sourcesOf(await callers.askFor(limiter, 300, 10, subject))).toEqual(new Set([onStoreError]));
    expect(await errorsOf('TRYAGAIN')).toBeGreaterThan(0);
    await move.end();
    // Keys of the same slot, and not of the pair.
    await callers.untilBack(createLimiter({ ...single, store, onStoreError }), subject);
    // Also what the client sent again when the slot was whole came too late to be charged.
    await Promise.allSettled(unanswered);
    expect(await remaining(pair, subject)).toBe(held);
    callers.expectAllInTime();
  });

  it('a correction is made once, and not before the slot is whole', async () => {
    const limiter = createLimiter({ ...single, store: callers.storeOver(watched, AMPLE_MS) });
    const reservation = await limiter.reserve('corrected', { cost: 100 });
    const move = await SlotMove.begin(cluster, await slotOf('corrected'));
    const settled = reservation.settle(30);
    await until(async () => (await errorsOf('TRYAGAIN')) > 0, 5);
    await move.end();
    await settled;
    expect(await remaining(single, 'corrected')).toBe(CAPACITY - 30);
  });
});

it.each(CHOICES)('While a slot has no node (CLUSTERDOWN), onStoreError decides: %s', async (onStoreError) => {
  const limiter = createLimiter({ ...pair, store: callers.storeOver(watched), onStoreError });
  await callers.untilBack(limiter, 'stray');
  const slot = await slotOf('stray');
  const owner = new Redis(cluster.servers[await cluster.ownerOf(slot)]?.port as number);
  await owner.call('CLUSTER', ['DELSLOTS', slot]);
  expect(sourcesOf(await callers.askFor(limiter, 300, 10, 'stray'))).toEqual(new Set([onStoreError]));
  expect(await errorsOf('CLUSTERDOWN')).toBeGreaterThan(0);
  await owner.call('CLUSTER', ['ADDSLOTS', slot]);
  owner.disconnect();
  await callers.untilBack(limiter, 'stray');
  await Promise.allSettled(unanswered);
  callers.expectAllInTime();
});
