import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { inBackground, stopwatchMs, systemClock, wallClock } from '../../src/values/clock.js';

/** Whether a promise has settled when everything that is due has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => false,
    () => false,
  );
  return Promise.race([settled, new Promise<boolean>((resolve) => setImmediate(resolve, true))]);
}

describe('the manual clock', () => {
  it('stands until it is moved', () => {
    const clock = new ManualClock(1000);
    expect(clock.now()).toBe(1000);
    clock.advance('2s');
    clock.advance(5);
    clock.advance(0);
    expect(clock.now()).toBe(3005);
    clock.set(10);
    expect(clock.now()).toBe(10);
    expect(new ManualClock().now()).toBe(Date.UTC(2026, 0, 1));
  });

  it('refuses to advance by an invalid duration', () => {
    expect(() => new ManualClock().advance(-1)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'by' }));
  });

  it('wakes due sleepers in order', async () => {
    const clock = new ManualClock();
    const woken: string[] = [];
    const sleeps = [30, 10, 20, 10].map((ms, i) => clock.sleep(ms).then(() => woken.push(`${i}: ${ms}`)));
    clock.advance(9);
    expect(await isPending(sleeps[1] as Promise<number>)).toBe(true);
    clock.advance(11);
    await Promise.all([sleeps[1], sleeps[2], sleeps[3]]);
    expect(woken).toEqual(['1: 10', '3: 10', '2: 20']);
    expect(await isPending(sleeps[0] as Promise<number>)).toBe(true);
    clock.advance(10);
    await Promise.all(sleeps);
    expect(woken.at(-1)).toBe('0: 30');
  });

  it('does not sleep for 0 ms', async () => {
    const clock = new ManualClock();
    await clock.sleep(0);
    await clock.sleep(-5);
  });

  it('rejects a sleep that is aborted, with the reason, and forgets the sleeper', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const sleep = clock.sleep(10, controller.signal);
    await clock.untilSleeping(1);
    controller.abort('enough');
    await expect(sleep).rejects.toBe('enough');
    expect(await isPending(clock.untilSleeping(1))).toBe(true);
    await expect(clock.sleep(10, AbortSignal.abort('before'))).rejects.toBe('before');
    await expect(clock.sleep(0, AbortSignal.abort('before'))).rejects.toBe('before');
  });

  it('is not disturbed by an abort after waking', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const sleep = clock.sleep(10, controller.signal);
    clock.advance(10);
    controller.abort();
    await sleep;
  });

  it('reports when enough sleepers wait', async () => {
    const clock = new ManualClock();
    const two = clock.untilSleeping(2);
    const sleeps = [clock.sleep(10)];
    expect(await isPending(two)).toBe(true);
    sleeps.push(clock.sleep(20));
    await two;
    await clock.untilSleeping(1);
    clock.advance(10);
    expect(await isPending(clock.untilSleeping(2))).toBe(true);
    clock.advance(10);
    await Promise.all(sleeps);
    await clock.untilSleeping(0);
  });
});

describe('the system clock', () => {
  it('returns whole milliseconds since 1970, and never goes back', () => {
    const times = Array.from({ length: 1000 }, () => systemClock.now());
    expect(times.every(Number.isSafeInteger)).toBe(true);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.abs((times[0] as number) - Date.now())).toBeLessThan(60_000);
  });

  it('sleeps and wakes', async () => {
    const startMs = stopwatchMs();
    await systemClock.sleep(2);
    expect(stopwatchMs() - startMs).toBeGreaterThan(1);
    await systemClock.sleep(0);
    await systemClock.sleep(-1);
  });

  it.each([1000, 2 ** 31 - 1, 2 ** 31, 3e12])('sleeps %d ms, however long, until it is aborted', async (ms) => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(ms, controller.signal);
    await systemClock.sleep(8);
    expect(await isPending(sleep)).toBe(true);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });

  it('does not sleep if the signal was aborted before', async () => {
    await expect(systemClock.sleep(1e9, AbortSignal.abort('before'))).rejects.toBe('before');
    await expect(systemClock.sleep(0, AbortSignal.abort('before'))).rejects.toBe('before');
  });

  it('runs background work until it is stopped', async () => {
    let times = 0;
    const ran = new Promise<void>((resolve) => {
      const stop = inBackground(1, () => {
        times += 1;
        stop();
        resolve();
      });
    });
    await Promise.all([ran, systemClock.sleep(5)]);
    expect(times).toBe(1);
  });
});

describe('the wall clock', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('lets limits follow a Date that a test fakes', () => {
    jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
    const limiter = createLimiter({ limit: 1, window: '1h', store: new MemoryStore({ clock: wallClock }) });
    expect([limiter.consume('ann').allowed, limiter.consume('ann').allowed]).toEqual([true, false]);
    jest.setSystemTime(Date.UTC(2026, 0, 1, 1) - 1);
    expect(limiter.consume('ann').retryAfterMs).toBe(1);
    jest.setSystemTime(Date.UTC(2026, 0, 1, 1));
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('sleeps by timers that a test fakes', async () => {
    jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
    const jobs = createLimiter({ limit: 1, window: '1h', store: new MemoryStore({ clock: wallClock }) });
    jobs.consume('import');
    const turn = jobs.wait('import');
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect((await turn).allowed).toBe(true);
  });
});
