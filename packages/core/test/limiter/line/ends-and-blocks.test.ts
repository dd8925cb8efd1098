import { beforeEach, describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, createLine, type MemoryStore, slidingWindow } from '@sluice/core';
import { manualStore, settled } from '@sluice/test-kit/manual-store';
import type { ManualClock } from '../../../src/testing/manual-clock.js';

let clock: ManualClock;
let store: MemoryStore;

beforeEach(() => {
  ({ clock, store } = manualStore());
});

const slots = () => createLimiter({ limit: concurrency({ limit: 1, lease: '1m' }), store });

/** Lets this many steps of promises pass. */
const steps = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await undefined;
};

describe('Work whose end comes while its reservation is on its way', () => {
  const counts = Array.from({ length: 8 }, (_, i) => i);

  it.each(counts)('does not run unheard if its signal aborts %i steps after run', async (count) => {
    const limiter = slots();
    const line = createLine({ limiter });
    const abort = new AbortController();
    let heard: boolean | undefined;
    const run = line.run(
      'ann',
      async (signal) => {
        await settled();
        heard = signal.aborted;
      },
      { signal: abort.signal },
    );
    const result = run.catch((error) => error);
    await steps(count);
    abort.abort('gone');
    if (heard === undefined) expect([undefined, 'gone']).toContain(await result);
    expect(heard).not.toBe(false);
    await line.drain();
    expect(limiter.peek('ann').allowed).toBe(true);
  });

  it.each(counts)('does not run unheard if the line is closed %i steps after run', async (count) => {
    const limiter = slots();
    const line = createLine({ limiter });
    let heard: boolean | undefined;
    const result = line
      .run('ann', async (signal) => {
        await settled();
        heard = signal.aborted;
      })
      .catch((error) => error.code);
    await steps(count);
    line.close();
    expect([undefined, 'SLUICE_CLOSED']).toContain(await result);
    expect(heard).not.toBe(false);
    await line.drain();
    expect(limiter.peek('ann').allowed).toBe(true);
  });
});

describe('A signal that is none', () => {
  const wrong: readonly unknown[] = [null, 'x', 1, {}, { aborted: false }, new EventTarget(), new AbortController()];

  it.each(wrong)('is refused by wait, and spends nothing: %p', async (signal) => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    await expect(limiter.wait('ann', { signal: signal as AbortSignal })).rejects.toMatchObject({
      code: 'SLUICE_OPTION',
      path: 'signal',
    });
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it.each(wrong)('is refused by run, and holds no slot: %p', async (signal) => {
    const limiter = slots();
    const line = createLine({ limiter });
    const run = line.run('ann', () => 'done', { signal: signal as AbortSignal });
    await expect(run).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'signal' });
    expect([line.length, limiter.peek('ann').allowed]).toEqual([0, true]);
  });

  it('is not one that a library has made', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    const { signal } = new AbortController();
    const own = {
      aborted: false,
      addEventListener: signal.addEventListener.bind(signal),
      removeEventListener: signal.removeEventListener.bind(signal),
    };
    const waiting = limiter.wait('ann', { signal: own as unknown as AbortSignal });
    await settled();
    clock.advance('2m');
    expect((await waiting).allowed).toBe(true);
  });
});

describe('A blocked key in a line', () => {
  it('is refused at once if a limit of slots has room, and the block ends too late', async () => {
    const limiter = slots();
    limiter.block('ann', '1h');
    const reservation = await limiter.wait('ann', { maxWait: '10s' });
    expect([reservation.allowed, reservation.retryAfterMs]).toEqual([false, 3_600_000]);
    await expect(createLine({ limiter, maxWait: '10s' }).run('ann', () => 'done')).rejects.toMatchObject({
      code: 'SLUICE_REFUSED',
      retryAfterMs: 3_600_000,
    });
  });

  it('waits if its slot may be free before its lease ends', async () => {
    const limiter = slots();
    const held = limiter.reserve('ann');
    limiter.block('ann', '1s');
    const waiting = limiter.wait('ann', { maxWait: '10s' });
    await settled();
    held.settle();
    clock.advance('1s');
    expect((await waiting).allowed).toBe(true);
  });

  it.each([
    ['a window', slidingWindow({ limit: 5, window: '1m' })],
    ['slots', concurrency({ limit: 5, lease: '1m' })],
  ])('is served within a second after its block was lifted: %s', async (_, limit) => {
    const limiter = createLimiter<string>({ limit, store });
    limiter.block('ann', '1h');
    const waiting = limiter.wait('ann');
    await settled();
    for (let i = 0; i < 10; i += 1) {
      clock.advance(990);
      await settled();
    }
    limiter.unblock('ann');
    const newcomer = limiter.wait('ann');
    clock.advance(1000);
    expect((await waiting).allowed).toBe(true);
    expect((await newcomer).allowed).toBe(true);
  });

  it('stops nobody else, also under a limit that all share', async () => {
    const all = { name: 'all', limit: slidingWindow({ limit: 4, window: '1s' }), keyGenerator: () => 'all' };
    const own = { name: 'own', limit: slidingWindow({ limit: 2, window: '1s' }) };
    for (const limits of [
      [all, own],
      [own, all],
    ]) {
      const limiter = createLimiter<string>({ name: limits[0]?.name ?? '', limits, store });
      const line = createLine({ limiter });
      limiter.block('mallory', '1h');
      const done: string[] = [];
      for (let i = 0; i < 6; i += 1) {
        for (const key of ['mallory', 'ann', 'bob']) void line.run(key, () => done.push(key)).catch(() => {});
      }
      for (let i = 0; i < 100; i += 1) {
        await settled();
        clock.advance(100);
      }
      expect(done.toSorted()).toEqual([...Array(6).fill('ann'), ...Array(6).fill('bob')]);
      expect(line.length).toBe(6);
      line.close();
    }
  });
});
