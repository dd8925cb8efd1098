import { afterEach, describe, expect, it } from '@jest/globals';
import {
  cpu,
  createLoadSignal,
  heap,
  type LoadSignalOptions,
  loopDelay,
  loopUtilization,
  type SampledLoadSignal,
  SluiceError,
  type SluiceEvents,
  subscribe,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import { settled } from '@sluice/test-kit/manual-store';

const signals: SampledLoadSignal[] = [];
const warnings = emittedWarnings();

afterEach(() => {
  for (const signal of signals.splice(0)) signal.close();
});

function world(options: Partial<LoadSignalOptions> = {}) {
  const clock = new ManualClock();
  const load = { now: 0, reads: 0 };
  const read = (): number => {
    load.reads += 1;
    if (Number.isNaN(load.now)) throw new Error('no reading');
    return load.now;
  };
  const signal = createLoadSignal(read, { enter: 50, leave: 20, clock, ...options });
  signals.push(signal);
  /** Samples this many times, 250 ms apart, and returns the signal after each. */
  const sampled = async (...loads: readonly number[]): Promise<boolean[]> => {
    const said: boolean[] = [];
    for (const one of loads) {
      load.now = one;
      clock.advance(250);
      await settled();
      said.push(signal.isCalm);
    }
    return said;
  };
  return { clock, load, signal, sampled };
}

describe('A load signal', () => {
  it('is not calm from the first sample that reaches enter', async () => {
    const { sampled, signal } = world();
    expect(await sampled(49, 50)).toEqual([true, false]);
    expect(signal.value).toBe(50);
  });

  it('is calm again when all samples of atLeast were at or below leave', async () => {
    const { sampled } = world();
    expect(await sampled(80, 20, 20, 20, 20, 20)).toEqual([false, false, false, false, false, true]);
  });

  it('stays as it is between leave and enter', async () => {
    const { sampled } = world({ atLeast: 0 });
    expect(await sampled(49, 21, 50, 49, 21, 20, 21, 49)).toEqual([true, true, false, false, false, true, true, true]);
  });

  it('starts to count atLeast anew when a sample rises above leave', async () => {
    const { sampled } = world({ atLeast: 500 });
    expect(await sampled(90, 10, 10, 30, 10, 10, 10)).toEqual([false, false, false, false, false, false, true]);
  });

  it('changes at most once a second while the load flaps between all and nothing', async () => {
    const changes: boolean[] = [];
    const stop = subscribe('sluice:signal', ({ isCalm }) => changes.push(isCalm));
    const { sampled } = world();
    await sampled(...Array.from({ length: 240 }, (_, i) => (i % 2 === 0 ? 100 : 0)));
    stop();
    expect(changes).toEqual([false]);
  });

  it('reads its load on its own time, never when it is asked', async () => {
    const { signal, load, sampled } = world();
    for (let i = 0; i < 1000; i += 1) expect(signal.isCalm).toBe(true);
    expect(load.reads).toBe(1);
    await sampled(0, 0);
    expect(load.reads).toBe(3);
  });

  it('tells every change with its name and the sample', async () => {
    const events: SluiceEvents['sluice:signal'][] = [];
    const stop = subscribe('sluice:signal', (event) => events.push(event));
    const { sampled } = world({ name: 'queue', atLeast: 0 });
    await sampled(60, 70, 5);
    stop();
    expect(events).toEqual([
      { name: 'queue', isCalm: false, value: 60 },
      { name: 'queue', isCalm: true, value: 5 },
    ]);
  });

  it('is not calm while its reading fails, and says so once', async () => {
    const { sampled } = world({ atLeast: 0 });
    expect(await sampled(Number.NaN, Number.NaN, 0)).toEqual([false, false, true]);
    expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_HOOK_FAILED']);
  });

  it('is not calm if its reading is a promise, and lets none that fails end the process', async () => {
    const before = warnings.length;
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const read = (() => Promise.reject(new Error('no reading'))) as never;
    const signal = createLoadSignal(read, { enter: 9, leave: 1, clock: new ManualClock() });
    signals.push(signal);
    await settled();
    process.off('unhandledRejection', note);
    expect([signal.isCalm, unhandled]).toEqual([false, []]);
    expect(warnings.slice(before).map(({ code }) => code)).toEqual(['SLUICE_HOOK_FAILED']);
  });

  it('is not calm from the start when the first sample is too high', () => {
    const signal = createLoadSignal(() => 9, { enter: 9, leave: 1, clock: new ManualClock() });
    signals.push(signal);
    expect(signal.isCalm).toBe(false);
  });

  it('stops sampling when it is closed, and is not calm any more', async () => {
    const { signal, load, clock } = world();
    signal.close();
    clock.advance('1m');
    await settled();
    expect([signal.isCalm, load.reads]).toEqual([false, 1]);
  });

  it('takes no sample that is due when it is closed', async () => {
    const { signal, sampled, load, clock } = world({ atLeast: 0 });
    await sampled(80);
    const changes: boolean[] = [];
    const stop = subscribe('sluice:signal', ({ isCalm }) => changes.push(isCalm));
    load.now = 0;
    clock.advance(250);
    signal.close();
    await settled();
    stop();
    expect([changes, load.reads]).toEqual([[], 2]);
  });

  it.each<[string, unknown, unknown]>([
    ['read', undefined, { enter: 1, leave: 1 }],
    ['enter', () => 0, { leave: 1 }],
    ['enter', () => 0, { enter: Number.NaN, leave: 1 }],
    ['leave', () => 0, { enter: 1, leave: 2 }],
    ['every', () => 0, { enter: 1, leave: 1, every: 0 }],
    ['atLeast', () => 0, { enter: 1, leave: 1, atLeast: -1 }],
    ['name', () => 0, { enter: 1, leave: 1, name: '' }],
    ['hold', () => 0, { enter: 1, leave: 1, hold: 5 }],
  ])('refuses a wrong %s', (path, read, options) => {
    const make = () => createLoadSignal(read as () => number, options as LoadSignalOptions);
    expect(make).toThrow(SluiceError);
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });
});

describe('A load signal that comes with the core', () => {
  it.each([
    ['loopDelay', loopDelay],
    ['loopUtilization', loopUtilization],
    ['cpu', cpu],
    ['heap', heap],
  ] as const)('%s reads a number of at least 0 in every sample', async (_, make) => {
    const clock = new ManualClock();
    const signal = make({ clock });
    signals.push(signal);
    for (let i = 0; i < 3; i += 1) {
      clock.advance(250);
      await settled();
      expect(signal.value).toBeGreaterThanOrEqual(0);
    }
  });

  // The stall is longer than a busy machine stops a process.
  it('sees a loop that is held up in the sample in which it is, and not in the next', async () => {
    const clock = new ManualClock();
    const signal = loopDelay({ clock });
    signals.push(signal);
    const values: number[] = [];
    for (const heldMs of [0, 1000, 0]) {
      await pause(40);
      const endMs = performance.now() + heldMs;
      while (performance.now() < endMs);
      await pause(40);
      clock.advance(250);
      await settled();
      values.push(signal.value);
    }
    expect(values[1]).toBeGreaterThanOrEqual(900);
    expect(values[2]).toBeLessThan(values[1] as number);
  });

  it('measures the use of the loop over each sample, not since the start', async () => {
    const clock = new ManualClock();
    await pause(300);
    const signal = loopUtilization({ clock });
    signals.push(signal);
    const endMs = performance.now() + 200;
    while (performance.now() < endMs);
    clock.advance(250);
    await settled();
    expect(signal.value).toBeGreaterThan(0.8);
  });
});

/** Real time, since these signals measure the process. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
