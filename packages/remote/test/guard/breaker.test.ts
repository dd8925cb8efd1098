import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, SluiceError, subscribe } from '@sluice/core';
import { systemClock } from '@sluice/core/src/values/clock';
import { Breaker, FAILING_MS_TO_OPEN, PROBE_EVERY_MS } from '../../src/guard/breaker.js';
import { breakerStates } from './breaker-states.js';
import { RemoteMemory } from './remote-memory.js';

let store: RemoteMemory;
let breaker: ReturnType<typeof breakerStates>;
const limiterOf = (name: string): Limiter<string, true> =>
  createLimiter({ name, limit: 100, window: '1h', store, onStoreError: 'allow' });

// The channel belongs to the whole process. So breakers of other tests have to end first.
beforeAll(() => systemClock.sleep(300));

beforeEach(() => {
  store = new RemoteMemory(systemClock, 100);
  breaker = breakerStates();
});

afterEach(async () => {
  // A breaker that meets a closed store closes.
  store.mend();
  await store.close();
  if (breaker.states.at(-1) !== 'closed' && breaker.states.length > 0) await breaker.next('closed');
  breaker.stop();
});

async function fail(limiter: Limiter<string, true>, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await limiter.consume('ann');
}

describe('The breaker of a remote store', () => {
  it('opens after five failures in a row, and the store is not asked any more', async () => {
    const limiter = limiterOf('api');
    store.cut();
    await fail(limiter, 4);
    expect(breaker.states).toEqual([]);
    await fail(limiter, 1);
    expect(breaker.states).toEqual(['open']);
    const before = store.calls;
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'allow' });
    await expect(limiter.reset('ann')).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    expect(store.calls).toBe(before);
  });

  it('opens when a server that has failed once does nothing for a while, and nobody asks it', async () => {
    const limiter = limiterOf('api');
    store.cut();
    const askedMs = performance.now();
    await fail(limiter, 1);
    await breaker.next('open');
    expect(performance.now() - askedMs).toBeGreaterThanOrEqual(FAILING_MS_TO_OPEN - 1);
    expect(breaker.states).toEqual(['open']);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'allow' });
  });

  it('does not open for a failure that a probe refutes, however seldom the store is asked', async () => {
    const limiter = limiterOf('api');
    for (let i = 0; i < 2; i += 1) {
      store.cut();
      await fail(limiter, 1);
      store.mend();
      await systemClock.sleep(2 * PROBE_EVERY_MS);
    }
    store.cut();
    await fail(limiter, 1);
    expect(breaker.states).toEqual([]);
    store.mend();
    const before = store.calls;
    await systemClock.sleep(3 * PROBE_EVERY_MS);
    expect(store.calls).toBe(before + 1);
  });

  it('spreads the first probes of instances over the time between two probes', async () => {
    const probed: number[] = [];
    const breakers = [0.2, 0.9, 0.6].map(
      (part) => new Breaker({ probe: async () => void probed.push(part), spread: () => part }),
    );
    for (const each of breakers) each.failed(new Error('gone'));
    await systemClock.sleep(PROBE_EVERY_MS);
    expect(probed).toEqual([0.9, 0.6, 0.2]);
    expect(breakers.map(({ isFailing }) => isFailing)).toEqual([false, false, false]);
  });

  it('ends with its store: callers then learn at once that the store is closed', async () => {
    Object.assign(store, { keyspaces: store.memory.keyspaces });
    const limiter = limiterOf('api');
    store.cut();
    await fail(limiter, 5);
    expect(breaker.states).toEqual(['open']);
    store.mend();
    await store.close();
    expect(breaker.states).toEqual(['open', 'closed']);
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  /** Asks in a turn of the event loop that takes longer than the deadline of its asks. */
  async function askInStall(limiter: Limiter<string, true>, times: number): Promise<Set<string>> {
    const asked = Array.from({ length: times }, () => limiter.consume('ann'));
    const busyUntilMs = performance.now() + 3 * store.remote.timeoutMs;
    while (performance.now() < busyUntilMs);
    return new Set((await Promise.all(asked)).map(({ source }) => source));
  }

  /** The store replies long after the turn of the event loop in which it was asked. */
  async function answerLater(): Promise<void> {
    await new Promise(setImmediate);
    await systemClock.sleep(5);
  }

  it('counts all calls in a stall of this process as one failure', async () => {
    const limiter = limiterOf('api');
    await limiter.consume('ann');
    store.there = answerLater;
    expect(await askInStall(limiter, 20)).toEqual(new Set(['allow']));
    expect(breaker.states).toEqual([]);
  });

  it('opens after five stalls in a row without a reply', async () => {
    const limiter = limiterOf('api');
    await limiter.consume('ann');
    const thaw = store.freeze();
    for (let stalls = 1; stalls < 5; stalls += 1) await askInStall(limiter, 3);
    expect(breaker.states).toEqual([]);
    await askInStall(limiter, 3);
    expect(breaker.states).toEqual(['open']);
    thaw();
  });

  it('stays closed while any call succeeds in between', async () => {
    const limiter = limiterOf('api');
    for (let i = 0; i < 3; i += 1) {
      store.cut();
      await fail(limiter, 4);
      store.mend();
      await limiter.consume('ann');
    }
    expect(breaker.states).toEqual([]);
  });

  it('is one for all policies on the store', async () => {
    const [one, two] = [limiterOf('one'), limiterOf('two')];
    store.cut();
    await fail(one, 3);
    await fail(two, 2);
    expect(breaker.states).toEqual(['open']);
    await expect(two.consume('ann')).resolves.toMatchObject({ source: 'allow' });
  });

  it('counts no mistakes', async () => {
    const limiter = limiterOf('api');
    store.cut(new SluiceError('SLUICE_KEY', 'a mistake'));
    for (let i = 0; i < 6; i += 1) {
      await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_KEY' });
    }
    expect(breaker.states).toEqual([]);
  });

  it('closes by itself within a second after the store has recovered', async () => {
    const limiter = limiterOf('api');
    store.cut();
    await fail(limiter, 5);
    await breaker.next('half-open');
    store.mend();
    const backMs = performance.now();
    await breaker.next('closed');
    // Four probes a second, of which a slow machine may miss some.
    expect(performance.now() - backMs).toBeLessThan(5000);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'store' });
  });

  it('does not probe while the store connects: it would send all that waited in one moment', async () => {
    let isConnecting = true;
    Object.assign(store.remote, { isConnecting: () => isConnecting });
    const limiter = limiterOf('api');
    store.cut();
    await fail(limiter, 5);
    const before = store.calls;
    for (let i = 0; i < 3; i += 1) await breaker.next('half-open');
    expect(store.calls).toBe(before);
    store.mend();
    isConnecting = false;
    await breaker.next('closed');
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'store' });
  });

  it('stays open while the store replies but accepts no writes', async () => {
    const limiter = limiterOf('api');
    store.isReadOnly = true;
    await fail(limiter, 5);
    for (let i = 0; i < 3; i += 1) {
      await breaker.next('half-open');
      await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'allow' });
    }
    expect(breaker.states).toEqual(['open', 'half-open', 'half-open', 'half-open']);
    store.isReadOnly = false;
    await breaker.next('closed');
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'store' });
  });

  it('reports while it is open the last error of the store or its probe', async () => {
    const limiter = limiterOf('api');
    const errors: unknown[] = [];
    const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
    store.cut();
    await fail(limiter, 6);
    expect(errors.at(-1)).toMatchObject({ code: 'SLUICE_STORE', cause: { message: 'connection lost' } });
    store.mend();
    store.isReadOnly = true;
    await breaker.next('half-open');
    await systemClock.sleep(5);
    await fail(limiter, 1);
    expect(errors.at(-1)).toMatchObject({ code: 'SLUICE_STORE', cause: { message: 'read-only' } });
    stop();
  });

  it('sends one probe at a time', async () => {
    const limiter = limiterOf('api');
    store.cut();
    await fail(limiter, 5);
    let most = 0;
    let now = 0;
    store.there = async () => {
      now += 1;
      most = Math.max(most, now);
      await systemClock.sleep(90);
      now -= 1;
      throw new Error('still gone');
    };
    for (let i = 0; i < 3; i += 1) {
      await breaker.next('half-open');
      await fail(limiter, 20);
    }
    expect(most).toBe(1);
  });

  it('answers at once while it is open', async () => {
    const limiter = limiterOf('api');
    const thaw = store.freeze();
    // All failures of one stall count as one. So a slow machine may need several rounds.
    while (breaker.states.length === 0) await Promise.all(Array.from({ length: 5 }, () => limiter.consume('ann')));
    expect(breaker.states).toEqual(['open']);
    const [calls, probes] = [store.calls, breaker.states.filter((state) => state === 'half-open').length];
    await fail(limiter, 1000);
    const probed = breaker.states.filter((state) => state === 'half-open').length - probes;
    expect(store.calls - calls).toBe(probed);
    thaw();
  });

  it('passes mistakes of the program on', async () => {
    const limiter = limiterOf('api');
    store.cut();
    await fail(limiter, 5);
    store.mend();
    await store.close();
    await breaker.next('closed');
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});
