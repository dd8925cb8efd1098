import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Gradient2 } from '../src/gradient2.js';
import type { InFlightLimit } from '../src/in-flight-limit.js';
import { TimedAimd } from '../src/timed-aimd.js';
import { Vegas } from '../src/vegas.js';

const WINDOW_MS = 1000;

let nowMs = 0;

/** Plays windows of requests that all take as long, and returns the limit after each. */
function limitsAfter(machine: InFlightLimit, windows: readonly { latencyMs: number; inFlight: number }[]): number[] {
  return windows.map(({ latencyMs, inFlight }) => {
    // A window ends with the first sample after its time that is at least its tenth.
    for (let sample = 0; sample < 11; sample += 1) {
      nowMs += sample === 0 ? 1 : WINDOW_MS / 10;
      machine.done(nowMs, nowMs - latencyMs, 0, inFlight);
    }
    return machine.limit;
  });
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('Vegas', () => {
  // log10(20) is 1 in whole numbers: alpha is 3, beta 6.
  it.each([
    ['rises by 6 while at most 1 waits', 10, 26],
    ['rises by 1 while 2 wait', 11.1, 21],
    ['stays while 3 wait', 11.5, 20],
    ['stays while 6 wait', 14.2, 20],
    ['falls by 1 when 7 wait', 15.3, 19],
    ['falls by 1 when nearly all wait', 1000, 19],
  ])('%s', (_, latencyMs, limit) => {
    const vegas = new Vegas({ initial: 20, max: 1000 });
    expect(
      limitsAfter(vegas, [
        { latencyMs: 10, inFlight: 20 },
        { latencyMs, inFlight: 20 },
      ]),
    ).toEqual([20, limit]);
  });

  it('steps by the decimal logarithm of the limit', () => {
    const vegas = new Vegas({ initial: 200, max: 1000 });
    const full = { latencyMs: 10, inFlight: 200 };
    expect(limitsAfter(vegas, [full, full, { latencyMs: 1000, inFlight: 200 }])).toEqual([200, 212, 210]);
  });

  it('learns nothing from a limit of which less than half is used', () => {
    const vegas = new Vegas({ initial: 20, max: 1000 });
    expect(limitsAfter(vegas, times(5, { latencyMs: 10, inFlight: 9 }))).toEqual(times(5, 20));
  });

  it('measures the latency without load again after 30 windows for each request of the limit', () => {
    const vegas = new Vegas({ initial: 10, max: 10 });
    const limits = limitsAfter(vegas, [
      { latencyMs: 10, inFlight: 10 },
      ...times(400, { latencyMs: 100, inFlight: 10 }),
    ]);
    expect(Math.min(...limits)).toBe(6);
    // With the long latency as the one without load, the limit rises again.
    expect(limits.at(-1)).toBe(10);
  });
});

describe('Gradient2', () => {
  const full = { latencyMs: 10, inFlight: 1000 };

  it('rises by a fifth of 4 while the latency is the usual one', () => {
    const gradient = new Gradient2({ initial: 20, max: 1000 });
    // 20.8, 21.6, 22.4, 23.2, 24
    expect(limitsAfter(gradient, times(5, full))).toEqual([20, 21, 22, 23, 24]);
  });

  it('forgives a latency of one and a half times the usual one', () => {
    const gradient = new Gradient2({ initial: 100, max: 1000 });
    const limits = limitsAfter(gradient, [...times(10, full), { latencyMs: 14.9, inFlight: 1000 }]);
    expect(limits.at(-1)).toBe(108);
  });

  it('falls by a tenth, and rises by 0.8, when the latency becomes ten times the usual one', () => {
    const gradient = new Gradient2({ initial: 100, max: 1000 });
    const limits = limitsAfter(gradient, [...times(10, full), { latencyMs: 100, inFlight: 1000 }]);
    // 0.8 × 108 + 0.2 × (108 × 0.5 + 4)
    expect(limits.at(-1)).toBe(98);
  });

  it('falls no further than to what its queue leaves', () => {
    const gradient = new Gradient2({ initial: 100, max: 1000 });
    limitsAfter(gradient, times(10, full));
    const slower = times(100, { latencyMs: 400, inFlight: 1000 });
    expect(limitsAfter(gradient, slower).at(-1)).toBe(8);
  });

  it('forgets a long latency within some windows', () => {
    const gradient = new Gradient2({ initial: 100, max: 1000 });
    limitsAfter(gradient, times(50, { latencyMs: 1000, inFlight: 1000 }));
    const atOnce = limitsAfter(gradient, times(90, full));
    // Only now is ten times the latency an overload again.
    const limits = limitsAfter(gradient, times(3, { latencyMs: 100, inFlight: 1000 }));
    expect(limits.at(-1)).toBeLessThan(atOnce.at(-1) as number);
  });

  it('learns nothing from a limit of which less than half is used', () => {
    const gradient = new Gradient2({ initial: 100, max: 1000 });
    expect(limitsAfter(gradient, times(5, { latencyMs: 10, inFlight: 49 }))).toEqual(times(5, 100));
  });
});

describe('aimd with a time-out', () => {
  it('falls once for all requests that began before it fell', () => {
    const aimd = new TimedAimd({ initial: 100, max: 1000 }, 500);
    for (let request = 0; request < 100; request += 1) aimd.done(1000, 0, 0, 100);
    const { limit } = aimd;
    expect(limit).toBeLessThan(100);
    aimd.done(1500, 999, 0, limit);
    expect(aimd.limit).toBe(limit);
    aimd.done(1600, 1001, 0, limit);
    expect(aimd.limit).toBeLessThan(limit);
  });

  it('rises while it is full and requests are quicker than the time-out', () => {
    const aimd = new TimedAimd({ initial: 10, max: 12 }, 5000);
    for (let request = 0; request < 100; request += 1) aimd.done(5000, 1, 0, aimd.limit);
    expect(aimd.limit).toBe(12);
  });

  it('falls to one, and rises from there', () => {
    const aimd = new TimedAimd({ initial: 10, max: 20 }, 100);
    for (let nowMs = 1000; nowMs < 20_000; nowMs += 1000) aimd.done(nowMs, nowMs - 101, 0, aimd.limit);
    expect(aimd.limit).toBe(1);
    for (let nowMs = 20_000; nowMs < 40_000; nowMs += 10) aimd.done(nowMs, nowMs - 10, 0, aimd.limit);
    expect(aimd.limit).toBe(20);
  });
});

describe.each<[string, (initial: number, max: number) => InFlightLimit]>([
  ['Vegas', (initial, max) => new Vegas({ initial, max })],
  ['Gradient2', (initial, max) => new Gradient2({ initial, max })],
  ['aimd with a time-out', (initial, max) => new TimedAimd({ initial, max }, 500)],
])('the limit of %s', (_, make) => {
  it('is a whole number from 1 to its maximum, whatever happens', () => {
    const sample = fc.record({
      afterMs: fc.double({ min: 0, max: 2000, noNaN: true }),
      durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
      inFlight: fc.integer({ min: 1, max: 5000 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(1000),
        fc.array(sample, { maxLength: 200 }),
        (initial, more, samples) => {
          const machine = make(initial, initial + more);
          let nowMs = 0;
          for (const { afterMs, durationMs, inFlight } of samples) {
            nowMs += afterMs;
            machine.done(nowMs, nowMs - durationMs, 0, inFlight);
            expect(Number.isInteger(machine.limit)).toBe(true);
            expect(machine.limit).toBeGreaterThanOrEqual(1);
            expect(machine.limit).toBeLessThanOrEqual(initial + more);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
