import { describe, expect, it } from '@jest/globals';
import { PER_SECOND, playGreedyTenant, type Traffic as Tenants } from '@sluice/test-kit/greedy-tenant';
import { type Findings, playAdversary, type Trial, WINDOW_MS } from '@sluice/test-kit/guarantee-adversary';
import { fixedWindow, type Limit, MemoryStore, slidingWindow, slidingWindowLog, tokenBucket } from '../../src/index.js';
import { ManualClock } from '../../src/testing/index.js';

/** With `SLUICE_RUNS`: a tenth as many adversaries for each limit and each `lend`, and a minute of traffic. */
const RUNS = process.env.SLUICE_RUNS;
const ADVERSARIES = RUNS === undefined ? 2 : Math.ceil(Number(RUNS) / 10);

const HUNDRED = { limit: 100, window: WINDOW_MS } as const;

const LIMITS: readonly (readonly [name: string, limit: Limit, graceMs: number])[] = [
  ['sliding window', slidingWindow(HUNDRED), 50],
  ['sliding window of a few long parts', slidingWindow({ ...HUNDRED, buckets: 7 }), 143],
  ['sliding window log', slidingWindowLog(HUNDRED), 0],
  ['fixed window of the clock', fixedWindow({ ...HUNDRED, align: 'clock' }), 0],
  ['token bucket', tokenBucket({ capacity: 100, refillRate: 100 }), 0],
  ['token bucket of a strange rate', tokenBucket({ capacity: 100, refillRate: 77.7 }), 288],
];

const SECONDS = RUNS === undefined ? 2 : 60;

const RATES: readonly (readonly [name: string, limit: Limit])[] = [
  ['sliding window', slidingWindow({ limit: PER_SECOND, window: 1000 })],
  ['sliding window of many short parts', slidingWindow({ limit: PER_SECOND, window: 1000, buckets: 100 })],
  ['sliding window log', slidingWindowLog({ limit: PER_SECOND, window: 1000 })],
  ['fixed window of the clock', fixedWindow({ limit: PER_SECOND, window: 1000, align: 'clock' })],
  ['token bucket', tokenBucket({ capacity: PER_SECOND, refillRate: PER_SECOND })],
];

async function played(trial: Trial): Promise<Findings> {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  try {
    return await playAdversary(store, clock, trial);
  } finally {
    store.close();
  }
}

describe.each(LIMITS)('A %s with guaranteed parts', (_name, limit, graceMs) => {
  it.each([0, 0.25, 0.5, 1])('keeps every guarantee and its bound, and reaches that, with lend %d', async (lend) => {
    const found: Findings[] = [];
    for (let seed = 1; seed <= ADVERSARIES; seed += 1)
      found.push(await played({ limit, lend, seed, steps: 1500, graceMs }));
    const worst = Math.max(...found.map((one) => one.worst));
    expect(found.reduce((sum, { brokenPromises }) => sum + brokenPromises, 0)).toBe(0);
    expect(worst).toBeLessThanOrEqual(1);
    expect(worst).toBeGreaterThanOrEqual(0.85);
  });
});

describe.each(RATES)('A %s of which one tenant asks for ten times its part', (_name, limit) => {
  it('gives nine modest tenants what they ask for, and is used as much as without guarantees', async () => {
    const play = async (isGuaranteed: boolean): Promise<Tenants> => {
      const clock = new ManualClock();
      const store = new MemoryStore({ clock });
      try {
        return await playGreedyTenant(store, clock, { limit, seconds: SECONDS, isGuaranteed });
      } finally {
        store.close();
      }
    };
    const [shared, plain] = [await play(true), await play(false)];
    expect(plain.leastOfTheNine).toBeLessThan(0.7);
    expect(shared.leastOfTheNine).toBeGreaterThanOrEqual(0.99);
    expect(shared.perSecond).toBeGreaterThanOrEqual(0.97 * plain.perSecond);
    expect(shared.perSecond).toBeGreaterThanOrEqual(0.97 * PER_SECOND);
  });
});
