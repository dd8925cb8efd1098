import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, type StoreMetrics, storeMetrics } from '@sluice/core';
import { SyncedStore } from '@sluice/core/distributed';
import { ManualClock } from '@sluice/core/testing';
import { until } from '@sluice/test-kit/until';
import { RemoteCluster } from '../../../remote/test/guard/remote-cluster.js';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';
import { systemClock } from '../../src/values/clock.js';

const countersOf = (name: string): StoreMetrics => storeMetrics().find(({ store }) => store === name) as StoreMetrics;

const callsOf = ({ operations }: StoreMetrics): readonly number[] =>
  Object.values(operations).map(({ counts }) => counts.reduce((sum: number, calls: number) => sum + calls));

const opened: RemoteMemory[] = [];

/** A store behind a network, with a name. It is closed after its test. */
function remoteStore(name: string, timeoutMs = 50): RemoteMemory {
  const store = Object.assign(new RemoteMemory(systemClock, timeoutMs), { name });
  opened.push(store);
  return store;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

describe('storeMetrics', () => {
  it('counts the keys of a MemoryStore, and those that it evicts while they are exhausted', () => {
    const clock = new ManualClock();
    const store = new MemoryStore({ name: 'few keys', maxKeys: 2, clock });
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    expect(countersOf('few keys')).toEqual({
      ...countersOf('few keys'),
      keys: 0,
      maxKeys: 2,
      evictedKeys: 0,
      errors: { timeout: 0, unavailable: 0, error: 0 },
    });
    for (const subject of ['ann', 'bob', 'cy', 'dora']) limiter.consume(subject);
    expect(countersOf('few keys')).toMatchObject({ keys: 2, maxKeys: 2, evictedKeys: 2 });
    expect(callsOf(countersOf('few keys'))).toEqual([0, 0, 0]);
    expect(countersOf('few keys')).not.toHaveProperty('breaker');
  });

  it('counts stores of one name together, and keeps what they did after they are closed', () => {
    const [one, two] = [1, 2].map(
      (maxKeys) => new MemoryStore({ name: 'together', maxKeys, clock: new ManualClock() }),
    ) as [MemoryStore, MemoryStore];
    for (const store of [one, two]) {
      const limiter = createLimiter({ limit: 1, window: '1m', store });
      for (const subject of ['ann', 'bob', 'cy']) limiter.consume(subject);
    }
    expect(countersOf('together')).toMatchObject({ keys: 3, maxKeys: 3, evictedKeys: 3 });
    two.close();
    expect(countersOf('together')).toMatchObject({ keys: 1, maxKeys: 1, evictedKeys: 3 });
    one.close();
    expect(countersOf('together')).toMatchObject({ keys: 0, maxKeys: 0, evictedKeys: 3 });
  });

  it('has the keys that this process counts while a store fails under the name local', async () => {
    const store = remoteStore('gone');
    store.cut();
    const limiter = createLimiter({ name: 'gone', limit: 1, window: '1m', store, onStoreError: 'local' });
    const before = countersOf('local')?.keys ?? 0;
    await limiter.consume('ann');
    expect(countersOf('local').keys).toBe(before + 1);
  });

  it('counts the calls of a remote store by operation, each in the bucket of its time', async () => {
    const store = remoteStore('remote', 5000);
    const limiter = createLimiter({ limit: 9, window: '1m', store });
    await limiter.consume('ann');
    store.back = () => systemClock.sleep(30);
    const reservation = await limiter.reserve('ann', { cost: 5 });
    await reservation.settle(2);
    await limiter.refund('ann');
    await limiter.reset('ann');
    expect(callsOf(countersOf('remote'))).toEqual([2, 2, 1]);
    const { upToMs, counts, sumMs } = countersOf('remote').operations.adjust;
    expect(upToMs).toEqual([0.5, 1, 2.5, 5, 10, 25, 50, 100]);
    expect(counts).toHaveLength(upToMs.length + 1);
    expect(counts.slice(0, upToMs.indexOf(25) + 1)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(sumMs).toBeGreaterThan(2 * 29);
  });

  it('counts no cached refusal as a call, and no call of a store in front as one of its own', async () => {
    const store = remoteStore('beneath');
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    for (let i = 0; i < 5; i += 1) await limiter.consume('ann');
    expect(callsOf(countersOf('beneath'))[0]).toBe(2);
    const synced = createLimiter({
      limit: 9,
      window: '1m',
      store: new SyncedStore({ busyFrom: 1, store }),
      name: 'in front',
    });
    for (let i = 0; i < 5; i += 1) await synced.consume('ann');
    expect(callsOf(countersOf('beneath'))[0]).toBeLessThan(2 + 5);
  });

  it('counts failures by kind, and has the state of the breaker', async () => {
    const store = remoteStore('failing', 40);
    const limiter = createLimiter({ limit: 99, window: '1m', store, onStoreError: 'allow' });
    await limiter.consume('ann');
    expect(countersOf('failing')).toMatchObject({
      breaker: 'closed',
      errors: { timeout: 0, unavailable: 0, error: 0 },
    });
    const thaw = store.freeze();
    await Promise.all([limiter.consume('ann'), limiter.consume('bob')]);
    expect(countersOf('failing').errors).toEqual({ timeout: 2, unavailable: 0, error: 0 });
    store.cut();
    while (countersOf('failing').breaker === 'closed') await limiter.consume('ann');
    const { timeout, error } = countersOf('failing').errors;
    // Both timeouts count as one failure if a busy machine stalled this process meanwhile.
    expect([timeout, error === 3 || error === 4]).toEqual([2, true]);
    for (let i = 0; i < 3; i += 1) await limiter.consume('ann');
    expect(countersOf('failing').errors).toEqual({ timeout: 2, unavailable: 3, error });
    expect(callsOf(countersOf('failing'))[0]).toBe(1 + 2 + error);
    const thawProbe = store.freeze();
    // Not by its event: the channel of events is that of the whole file, in which other tests have left stores.
    await until(() => countersOf('failing').breaker === 'half-open');
    thawProbe();
    thaw();
    store.mend();
    await until(() => countersOf('failing').breaker === 'closed');
    await store.close();
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(countersOf('failing').errors).toEqual({ timeout: 2, unavailable: 3, error });
  });

  it('has the worst state of several servers', async () => {
    const cluster = new RemoteCluster(systemClock, { a: systemClock, b: systemClock });
    const store = Object.assign(cluster, { name: 'cluster' });
    const limiter = createLimiter({ limit: 99, window: '1m', store, onStoreError: 'allow' });
    for (const subject of ['a:ann', 'b:bob']) await limiter.consume(subject);
    expect(countersOf('cluster').breaker).toBe('closed');
    store.nodes.b?.cut();
    for (let i = 0; i < 5; i += 1) for (const subject of ['a:ann', 'b:bob']) await limiter.consume(subject);
    expect(countersOf('cluster')).toMatchObject({ breaker: 'open', errors: { error: 5 } });
    store.nodes.b?.mend();
    await until(() => countersOf('cluster').breaker === 'closed');
    await store.close();
  });

  it('tells 1,000 names apart, and counts all others together', () => {
    for (let i = 0; i < 1000; i += 1) new MemoryStore({ name: `store ${i}`, maxKeys: 1 }).close();
    const store = new MemoryStore({ name: 'one too many', maxKeys: 7 });
    createLimiter({ limit: 1, window: '1m', store }).consume('ann');
    expect(countersOf('one too many')).toBeUndefined();
    expect(countersOf('(others)')).toMatchObject({ keys: 1, maxKeys: 7 });
    expect(storeMetrics()).toHaveLength(1001);
    store.close();
  });

  it('refuses a name that a label cannot have', () => {
    for (const name of ['', 'a\nb', 'x'.repeat(129), 5 as unknown as string]) {
      expect(() => new MemoryStore({ name })).toThrow('name must be 1 to 128 printable ASCII characters');
    }
  });
});
