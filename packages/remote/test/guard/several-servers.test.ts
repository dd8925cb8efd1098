import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, leakyBucket, type SluiceEvents, slidingWindow, subscribe } from '@sluice/core';
import { type Clock, systemClock } from '@sluice/core/src/values/clock';
import { until } from '@sluice/test-kit/until';
import { RemoteCluster } from './remote-cluster.js';
import type { RemoteMemory } from './remote-memory.js';

type BreakerEvent = SluiceEvents['sluice:breaker'];

const LIMIT = slidingWindow({ limit: 100, window: '1h' });
const TIMEOUT_MS = 400;

const aheadBy = (ms: number): Clock => ({ now: () => systemClock.now() + ms, sleep: systemClock.sleep });

let store: RemoteCluster;
let limiter: Limiter<string, true>;
let events: BreakerEvent[];
let stop: () => void;

beforeEach(() => {
  store = new RemoteCluster(systemClock, { a: systemClock, b: systemClock, c: aheadBy(10_000) }, TIMEOUT_MS);
  limiter = createLimiter({ limit: LIMIT, store, onStoreError: 'allow' });
  events = [];
  stop = subscribe('sluice:breaker', (event) => events.push(event));
});

afterEach(async () => {
  for (const node of Object.values(store.nodes)) node.mend();
  await store.close();
  // A breaker that meets a closed store closes.
  await until(() => opened().size === 0, 20);
  stop();
});

const node = (name: string): RemoteMemory => store.nodes[name] as RemoteMemory;
const sourceOf = async (key: string): Promise<string> => (await limiter.consume(key)).source;

/** Names of the servers whose breaker is open. */
function opened(): Set<string | undefined> {
  const open = new Set<string | undefined>();
  for (const { state, node } of events) {
    if (state === 'open') open.add(node);
    if (state === 'closed') open.delete(node);
  }
  return open;
}

async function failing(name: string): Promise<void> {
  node(name).cut();
  for (let i = 0; i < 5; i += 1) await limiter.consume(`${name}:ann`);
}

/** A limiter of as many limits as there are keys, one for each. */
function over(name: string, keys: Readonly<Record<string, number>>): Limiter<string, true> {
  const limits = Object.entries(keys).map(([key, enforce], i) => ({
    name: `limit-${i}`,
    limit: LIMIT,
    enforce,
    keyGenerator: () => key,
  }));
  return createLimiter({ name, limits, store, onStoreError: 'allow' });
}

describe('With several servers', () => {
  it('each has its own breaker, which events name', async () => {
    await failing('b');
    expect(events).toEqual([{ state: 'open', node: 'b' }]);
    const before = node('b').calls;
    for (let i = 0; i < 20; i += 1) {
      expect([await sourceOf('a:ann'), await sourceOf('b:ann'), await sourceOf('c:ann')]).toEqual([
        'store',
        'allow',
        'store',
      ]);
    }
    // Only probes, and none of the twenty asks.
    expect(node('b').calls - before).toBeLessThan(10);
  });

  it('an unreachable one is probed with its own keys, and decides again when it has recovered', async () => {
    await failing('b');
    await limiter.consume('a:ann');
    const [a, b] = [node('a').calls, node('b').calls];
    await until(() => node('b').calls >= b + 2, 20);
    expect(node('a').calls).toBe(a);
    node('b').mend();
    await until(() => opened().size === 0, 20);
    expect(await sourceOf('b:ann')).toBe('store');
    expect(events.at(-1)).toEqual({ state: 'closed', node: 'b' });
  });

  it('a key that moves away from an unreachable one is decided at once in its new place', async () => {
    await failing('b');
    store.move('b:ann', 'a');
    expect(await sourceOf('b:ann')).toBe('store');
  });

  it('one without keys is not probed any more', async () => {
    await failing('b');
    for (let i = 0; i < 20_000; i += 1) store.move(`${i}`, 'a');
    store.move('b:ann', 'a');
    await until(() => opened().size === 0, 20);
    expect(events.at(-1)).toEqual({ state: 'closed', node: 'b' });
  });

  it('a request works while the server of its key is not known', async () => {
    store.move('a:ann', undefined);
    expect(await sourceOf('a:ann')).toBe('store');
    node('a').cut();
    for (let i = 0; i < 5; i += 1) expect(await sourceOf('a:ann')).toBe('allow');
    expect(events).toEqual([{ state: 'open' }]);
    expect(await sourceOf('b:ann')).toBe('store');
  });

  it('each has its own clock', async () => {
    for (let i = 0; i < 10; i += 1) {
      for (const name of ['a', 'c', 'b']) {
        expect(await sourceOf(`${name}:ann`)).toBe('store');
        const { notAfterMs = 0 } = node(name).asks.at(-1) ?? {};
        const leftMs = notAfterMs - node(name).clock.now();
        expect(leftMs).toBeGreaterThan(0);
        expect(leftMs).toBeLessThan(TIMEOUT_MS);
      }
    }
  });

  it.each([10_000, -10_000])(
    'one whose clock steps by %d ms decides again from the second request on',
    async (stepMs) => {
      let aheadMs = 0;
      const clock: Clock = { now: () => systemClock.now() + aheadMs, sleep: systemClock.sleep };
      const own = new RemoteCluster(systemClock, { a: clock, b: systemClock }, TIMEOUT_MS);
      const stepping = createLimiter<string, true>({ limit: LIMIT, store: own, onStoreError: 'allow' });
      const sources = async (key: string) => [
        (await stepping.consume(key)).source,
        (await stepping.consume(key)).source,
      ];
      await Promise.all([sources('a:ann'), sources('b:ann')]);
      aheadMs = stepMs;
      // A clock that is ahead takes the first ask for a late one.
      expect(await sources('a:ann')).toEqual([stepMs > 0 ? 'allow' : 'store', 'store']);
      expect(await sources('b:ann')).toEqual(['store', 'store']);
      const { notAfterMs = 0 } = own.nodes.a?.asks.at(-1) ?? {};
      expect(notAfterMs - clock.now()).toBeGreaterThan(0);
      expect(notAfterMs - clock.now()).toBeLessThan(TIMEOUT_MS);
      await own.close();
    },
  );

  it('a request with an enforced limit on an unreachable one is decided by the fallback as a whole, and no server is asked', async () => {
    await failing('b');
    const both = over('both', { 'a:ann': 1, 'b:ann': 1 });
    const before = node('a').calls;
    for (let i = 0; i < 10; i += 1) {
      expect(await both.consume('x')).toMatchObject({ source: 'allow', allowed: true });
      expect(await both.peek('x')).toMatchObject({ source: 'allow' });
    }
    expect(node('a').calls).toBe(before);
  });

  it('a limit that is not enforced, on an unreachable one, delays no request', async () => {
    await failing('b');
    const both = over('both', { 'a:ann': 1, 'b:ann': 0 });
    const reservation = await both.reserve('x');
    expect(reservation).toMatchObject({ source: 'store', allowed: true });
    await reservation.cancel();
    expect((await both.peek('x')).verdicts.map(({ remaining }) => remaining)).toEqual([100, 100]);
  });

  it('asks one that fails at once only once for a request', async () => {
    await Promise.all(['a:ann', 'b:ann'].map((key) => limiter.consume(key)));
    const both = over('both', { 'a:bob': 1, 'b:bob': 1 });
    node('b').cut();
    const before = node('b').calls;
    expect((await both.consume('x')).source).toBe('allow');
    expect(node('b').calls).toBe(before + 1);
  });

  it('a slow one uses up the time of the request, and counts as failed, not the next one', async () => {
    await Promise.all(['a:ann', 'b:ann'].map((key) => limiter.consume(key)));
    const both = over('both', { 'a:bob': 1, 'b:bob': 1 });
    node('a').there = () => systemClock.sleep(TIMEOUT_MS + 20);
    for (let i = 0; i < 8; i += 1) expect((await both.consume('x')).source).toBe('allow');
    expect([...opened()]).toEqual(['a']);
    expect(await sourceOf('b:ann')).toBe('store');
  });

  it('a reset of keys on several is made on each', async () => {
    const both = over('both', { 'a:ann': 1, 'b:ann': 1 });
    await both.consume('x', { cost: 60 });
    await limiter.consume('a:ann');
    for (const key of ['a:ann', 'b:ann']) await both.reset(key);
    expect((await both.peek('x')).verdicts.map(({ remaining }) => remaining)).toEqual([100, 100]);
  });
});

describe('Leaky buckets of one request', () => {
  const QUEUE = leakyBucket({ capacity: 3, leakRate: 0.001 });
  const bucket = (name: string, key: string, enforce = 1) => ({ name, limit: QUEUE, enforce, keyGenerator: () => key });
  const tight = (key: string) => ({
    name: 'tight',
    limit: slidingWindow({ limit: 1, window: '1h' }),
    keyGenerator: () => key,
  });

  it('are not filled by requests that a limit on any server refuses', async () => {
    // No answer is late by the deadline, however busy the machine is.
    const patient = new RemoteCluster(systemClock, { a: systemClock, b: systemClock }, 60_000);
    for (const [name, limits] of Object.entries({
      before: [bucket('queue', 'a:all'), tight('b:ann')],
      after: [tight('b:bob'), bucket('queue', 'a:others')],
      shadow: [bucket('shadow', 'a:shadow', 0), { ...bucket('open', 'a:shadow'), limit: LIMIT }, tight('b:cid')],
    })) {
      const queued = createLimiter({ name, limits, store: patient });
      await queued.consume('x');
      for (let i = 0; i < 10; i += 1)
        expect(await queued.consume('x')).toMatchObject({ allowed: false, source: 'store' });
      const { verdicts } = await queued.peek('x');
      expect(verdicts.find(({ limit }) => limit === QUEUE)?.remaining).toBe(2);
    }
    await patient.close();
  });

  it('are refused if no step reaches all of them, before anything is spent', async () => {
    const apart = createLimiter({
      name: 'apart',
      limits: [tight('c:ann'), bucket('one', 'a:1'), bucket('two', 'b:2')],
      store,
    });
    const expected = { code: 'SLUICE_UNSUPPORTED', message: expect.stringContaining("hashTag: 'policy'") };
    await expect(apart.consume('x')).rejects.toMatchObject(expected);
    await expect(apart.peek('x')).rejects.toMatchObject(expected);
    for (const name of ['a', 'b', 'c']) expect(node(name).asks).toEqual([]);
  });

  it('are decided if one of the two is not enforced', async () => {
    const apart = createLimiter({ name: 'apart', limits: [bucket('one', 'a:1', 0), bucket('two', 'b:2')], store });
    for (let i = 0; i < 3; i += 1) expect((await apart.consume('x')).allowed).toBe(true);
    expect((await apart.consume('x')).allowed).toBe(false);
  });
});
