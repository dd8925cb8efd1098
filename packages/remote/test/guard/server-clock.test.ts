import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';
import { ServerClock } from '../../src/guard/server-clock.js';

const TIMEOUT_MS = 500;

/** The estimate's clock, the store's, and a reply that takes `ms` to come back. */
function world(storeIsAheadMs: number) {
  const clock = new ManualClock();
  const time = new ServerClock(clock, TIMEOUT_MS);
  const storeMs = (): number => clock.now() + storeIsAheadMs;
  const hear = (ms: number): void => {
    const atMs = storeMs();
    clock.advance(ms);
    time.observed(atMs);
  };
  return { clock, time, storeMs, hear };
}

describe('The time of a remote store', () => {
  it('is unknown before the first reply', () => {
    expect(new ServerClock(new ManualClock(), TIMEOUT_MS).now()).toBeUndefined();
  });

  it.each([0, 7, -7, 86_400_000, -86_400_000])('is known when its clock is %d ms ahead', (aheadMs) => {
    const { time, storeMs, hear } = world(aheadMs);
    hear(0);
    expect(time.now()).toBe(storeMs() - 1);
  });

  it('is estimated best by the fastest reply', () => {
    const { time, storeMs, hear } = world(1000);
    for (const ms of [40, 3, 25]) hear(ms);
    expect(time.now()).toBe(storeMs() - 4);
  });

  it('is never estimated too late, however slow the replies', () => {
    const { clock, time, storeMs, hear } = world(-500);
    for (let i = 0; i < 2000; i += 1) {
      hear((i * 7919) % 97);
      clock.advance((i * 104_729) % 31);
      expect(time.now()).toBeLessThan(storeMs());
    }
  });

  it('forgets within two seconds how fast the network was', () => {
    const { clock, time, storeMs, hear } = world(0);
    hear(0);
    for (let i = 0; i < 3; i += 1) {
      clock.advance(1000);
      hear(30);
    }
    expect(time.now()).toBe(storeMs() - 31);
  });

  it.each([1, 10_000])('is known again from the first reply after its clock was set back by %d s', (seconds) => {
    const clock = new ManualClock();
    const time = new ServerClock(clock, TIMEOUT_MS);
    const reply = (storeMs: number): void => time.observed(storeMs, performance.now());
    reply(clock.now());
    clock.advance(1500);
    reply(clock.now());
    const storeMs = clock.now() - seconds * 1000;
    reply(storeMs);
    expect(time.now()).toBe(storeMs - 1);
  });

  it('is not treated as set back because of a slow reply', () => {
    const { clock, time, storeMs, hear } = world(0);
    hear(0);
    const atMs = storeMs();
    clock.advance(300);
    time.observed(atMs, performance.now() - 300);
    expect(time.now()).toBe(storeMs() - 1);
  });

  it('is not estimated from a reply for which nobody waited any more', () => {
    const { clock, time, storeMs, hear } = world(0);
    const hearLate = (ms: number): void => {
      const atMs = storeMs();
      clock.advance(ms);
      time.observed(atMs, performance.now() - ms);
    };
    hearLate(501);
    expect(time.now()).toBeUndefined();
    hearLate(499);
    expect(time.now()).toBe(storeMs() - 500);
    hear(7);
    for (let i = 0; i < 4; i += 1) {
      clock.advance(1500);
      hearLate(800);
    }
    expect(time.now()).toBe(storeMs() - 8);
  });

  it('is learnt from a reply that came late if it shows the estimate to be wrong', () => {
    const { clock, time } = world(0);
    const hearLate = (storeMs: number): void => time.observed(storeMs, performance.now() - 800);
    time.observed(clock.now(), performance.now());
    hearLate(clock.now() + 60_000);
    expect(time.now()).toBe(clock.now() + 59_999);
    hearLate(clock.now() - 60_000);
    expect(time.now()).toBeUndefined();
  });

  it('is not used a minute after the last reply', () => {
    const { clock, time, hear } = world(0);
    hear(0);
    clock.advance('1m');
    expect(time.now()).toBeDefined();
    clock.advance(1);
    expect(time.now()).toBeUndefined();
  });
});
