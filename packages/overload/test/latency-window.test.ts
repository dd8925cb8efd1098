import { describe, expect, it } from '@jest/globals';
import { LatencyWindow } from '../src/latency-window.js';

describe('a window of latencies', () => {
  it('takes the means of what ends in it, without the wait for the event loop', () => {
    const window = new LatencyWindow(1000, { settleMs: 0, samples: 2 });
    window.add(1050, 1000, 10, 4);
    window.add(1100, 1020, 20, 6);
    expect(window.latencyMs).toBe(50);
    expect(window.inFlight).toBe(5);
  });

  it('takes no sample of a request that began before it, if it does not settle', () => {
    const window = new LatencyWindow(1000, { settleMs: 0, samples: 1 });
    window.add(1200, 999, 0, 1);
    expect(window.isOver(1200)).toBe(false);
  });

  it('takes all that end after it has settled, and none before', () => {
    const window = new LatencyWindow(1000, { settleMs: 50, samples: 2 });
    window.add(1049, 1010, 0, 1);
    window.add(1050, 900, 0, 10);
    window.add(1060, 1010, 0, 20);
    expect(window.latencyMs).toBe(100);
    expect(window.inFlight).toBe(15);
    expect([1149, 1150].map((nowMs) => window.isOver(nowMs))).toEqual([false, true]);
  });

  it('is over with thirty samples after 0.7 seconds', () => {
    const window = new LatencyWindow(0, { settleMs: 0, samples: 100 });
    for (let sample = 0; sample < 29; sample += 1) window.add(10, 0, 0, 1);
    expect(window.isOver(1999)).toBe(false);
    window.add(10, 0, 0, 1);
    expect([699, 700].map((nowMs) => window.isOver(nowMs))).toEqual([false, true]);
  });

  it('is over with ten samples after two seconds', () => {
    const window = new LatencyWindow(0, { settleMs: 0, samples: 100 });
    for (let sample = 0; sample < 9; sample += 1) window.add(10, 0, 0, 1);
    expect(window.isOver(5000)).toBe(false);
    window.add(10, 0, 0, 1);
    expect([1999, 2000].map((nowMs) => window.isOver(nowMs))).toEqual([false, true]);
  });
});
