import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Knee } from '../src/knee.js';

/**
 * Plays requests that come four times as often as they are admitted, for a while. Each takes what `latencyMs` says of the
 * number in flight.
 */
function overload(knee: Knee, latencyMs: (inFlight: number) => number, forMs: number, fromMs = 0): void {
  const ends: { readonly atMs: number; readonly startedMs: number; readonly beside: number }[] = [];
  for (let nowMs = fromMs; nowMs < fromMs + forMs; nowMs += 1) {
    for (;;) {
      const next = ends.findIndex(({ atMs }) => atMs <= nowMs);
      if (next < 0) break;
      const [end] = ends.splice(next, 1) as [(typeof ends)[number]];
      knee.done(end.atMs, end.startedMs, 0, (end.beside + ends.length + 1) / 2);
    }
    while (ends.length < knee.limit) {
      knee.admitted();
      const beside = ends.length + 1;
      ends.push({ beside, startedMs: nowMs, atMs: nowMs + latencyMs(beside) });
    }
    for (let refusal = 0; refusal < 3; refusal += 1) knee.refused(nowMs);
  }
}

/** So many servers, each of which takes so long for a request: what is more waits. */
function servers(count: number, serviceMs: number): (inFlight: number) => number {
  return (inFlight) => serviceMs * Math.max(1, inFlight / count);
}

describe('the knee', () => {
  it.each([
    { count: 5, serviceMs: 20 },
    { count: 20, serviceMs: 20 },
    { count: 50, serviceMs: 20 },
    { count: 150, serviceMs: 100 },
  ])('is found at $count servers of $serviceMs ms', ({ count, serviceMs }) => {
    const knee = new Knee({ initial: 20, max: 1000 });
    overload(knee, servers(count, serviceMs), 30_000);
    expect(knee.center).toBeGreaterThanOrEqual(0.7 * count);
    expect(knee.center).toBeLessThanOrEqual(1.4 * count);
  });

  it('stays where it is while what is behind takes four times as long, and afterwards', () => {
    const knee = new Knee({ initial: 20, max: 1000 });
    overload(knee, servers(30, 20), 20_000);
    overload(knee, servers(30, 80), 20_000, 20_000);
    expect(knee.center).toBeGreaterThan(20);
    expect(knee.center).toBeLessThan(45);
    overload(knee, servers(30, 20), 20_000, 40_000);
    expect(knee.center).toBeGreaterThan(20);
    expect(knee.center).toBeLessThan(45);
  });

  it('follows what is behind when it gets three times as large, and back', () => {
    const knee = new Knee({ initial: 20, max: 1000 });
    overload(knee, servers(20, 20), 20_000);
    overload(knee, servers(60, 20), 20_000, 20_000);
    expect(knee.center).toBeGreaterThan(40);
    overload(knee, servers(20, 20), 30_000, 40_000);
    expect(knee.center).toBeLessThan(30);
  });

  it('leaves a limit of one again', () => {
    const knee = new Knee({ initial: 1, max: 1000 });
    overload(knee, servers(20, 5), 20_000);
    expect(knee.center).toBeGreaterThan(14);
  });

  it('falls from its maximum', () => {
    const knee = new Knee({ initial: 1000, max: 1000 });
    overload(knee, servers(20, 5), 20_000);
    expect(knee.center).toBeLessThan(30);
  });

  it('grows by half until that is too much, then tries 15 % less and more, in turns', () => {
    const knee = new Knee({ initial: 25, max: 1000 });
    const limits: number[] = [];
    // Up to 50 in flight take 10 ms each; beyond that, more only wait longer.
    for (let nowMs = 0; nowMs < 3000; nowMs += 1) {
      knee.refused(nowMs);
      if (knee.limit !== limits.at(-1)) limits.push(knee.limit);
      if (nowMs > 500) knee.done(nowMs, nowMs - Math.max(10, knee.limit / 5), 0, knee.limit);
    }
    expect(limits.slice(0, 6)).toEqual([25, 38, 56, 84, 47, 65]);
  });

  it('stops growing when no more come', () => {
    const knee = new Knee({ initial: 20, max: 1000 });
    for (let nowMs = 0; nowMs < 5000; nowMs += 1) {
      knee.refused(nowMs);
      knee.done(nowMs, nowMs - 10, 0, Math.min(knee.limit, 22));
    }
    expect(knee.center).toBeLessThanOrEqual(1.6 * 40);
  });

  it('takes back a step of the start that nothing was learned of', () => {
    const knee = new Knee({ initial: 20, max: 1000 });
    let nowMs = 0;
    while (knee.limit === 20) {
      nowMs += 1;
      knee.refused(nowMs);
      knee.done(nowMs, nowMs - 10, 0, 20);
    }
    expect(knee.limit).toBe(30);
    // From now on the limit hardly refuses anything, so whether 30 is too much is not known.
    for (const endMs = nowMs + 1000; nowMs < endMs; nowMs += 1) {
      for (let request = 0; request < 99; request += 1) knee.admitted();
      knee.done(nowMs, nowMs - 10, 0, 20);
    }
    expect(knee.center).toBe(20);
  });

  it('serves nearly everybody soon after a start at half the load of a slow downstream', () => {
    const knee = new Knee({ initial: 20, max: 1000 });
    overload(knee, servers(1000, 100), 3000);
    expect(knee.center).toBeGreaterThan(150);
  });

  it('rises by 5 % and one if it refuses some requests without binding', () => {
    const knee = new Knee({ initial: 100, max: 107 });
    for (let request = 0; request < 99; request += 1) knee.admitted();
    knee.refused(100);
    expect(knee.limit).toBe(106);
    for (let request = 0; request < 99; request += 1) knee.admitted();
    knee.refused(150);
    expect(knee.limit).toBe(106);
    knee.refused(201);
    expect(knee.limit).toBe(107);
  });

  it('needs no times while nothing is refused', () => {
    const knee = new Knee({ initial: 100, max: 1000 });
    for (let request = 0; request < 1000; request += 1) knee.admitted();
    expect(knee.needsTimes).toBe(false);
    expect(knee.limit).toBe(100);
  });

  it('does not drift up while it refuses few requests', () => {
    const knee = new Knee({ initial: 20, max: 1000 });
    overload(knee, servers(30, 20), 20_000);
    const { center } = knee;
    for (let nowMs = 20_000; nowMs < 60_000; nowMs += 1) {
      for (let request = 0; request < 99; request += 1) knee.admitted();
      knee.refused(nowMs);
    }
    expect(knee.center).toBeGreaterThan(center);
    expect(knee.center).toBeLessThan(2 * center);
  });

  it('learns nothing while nothing ends, and does not let more in', () => {
    const knee = new Knee({ initial: 20, max: 1000 });
    for (let nowMs = 0; nowMs < 60_000; nowMs += 10) knee.refused(nowMs);
    expect(knee.center).toBe(20);
  });

  it('takes no account of the wait for the event loop', () => {
    const limits = [0, 1].map((part) => {
      const knee = new Knee({ initial: 20, max: 1000 });
      // All of the latency above 5 ms is the event loop's.
      for (let nowMs = 0; nowMs < 20_000; nowMs += 1) {
        knee.refused(nowMs);
        const loopMs = knee.limit;
        knee.done(nowMs, nowMs - 5 - loopMs, part * loopMs, knee.limit);
      }
      return knee.center;
    });
    expect(limits[0]).toBeLessThan(40);
    expect(limits[1]).toBe(1000);
  });

  it('stays from one to its maximum, whatever happens', () => {
    const event = fc.record({
      kind: fc.constantFrom('admitted', 'refused', 'done'),
      afterMs: fc.double({ min: 0, max: 500, noNaN: true }),
      durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
      waitedMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
      inFlight: fc.nat(2000),
      times: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(1000),
        fc.array(event, { maxLength: 60 }),
        (initial, more, events) => {
          const knee = new Knee({ initial, max: initial + more });
          let nowMs = 0;
          for (const { kind, afterMs, durationMs, waitedMs, inFlight, times } of events) {
            nowMs += afterMs;
            for (let time = 0; time < times; time += 1) {
              if (kind === 'admitted') knee.admitted();
              else if (kind === 'refused') knee.refused(nowMs);
              else knee.done(nowMs, nowMs - durationMs, waitedMs, inFlight);
              expect(Number.isInteger(knee.limit) && knee.limit >= 1 && knee.limit <= initial + more).toBe(true);
              expect(Number.isInteger(knee.center) && knee.center >= 1 && knee.center <= initial + more).toBe(true);
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
