import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { fixedWindow, type Limit, type Store, slidingWindow, slidingWindowLog, tokenBucket } from '@sluice/core';
import type { ManualClock } from '@sluice/core/testing';
import { PER_SECOND, playGreedyTenant } from './greedy-tenant.js';
import { type Findings, playAdversary, WINDOW_MS } from './guarantee-adversary.js';

/** Plays against an empty store with a clock of its own, and closes the store. */
type WithStore = <T>(play: (store: Store<boolean>, clock: ManualClock) => Promise<T>) => Promise<T>;

/** How much is tried. With `SLUICE_RUNS`, it is that many adversaries for each limit, and a minute of traffic. */
interface Extent {
  /** The names of the limits. Default: all. */
  readonly limits?: readonly string[];
  readonly adversaries: number;
  readonly steps: number;
  readonly seconds: number;
}

const RUNS = process.env.SLUICE_RUNS;

const LENDS = [0, 0.25, 0.5, 1];

/** Limits whose parts come back more slowly than the nine modest tenants ask. */
const SLOW = ['sliding window of a few long parts', 'token bucket of a strange rate'];

/** Each limit of so many units a second, and how much longer than a second one of its units counts. */
const LIMITS: Readonly<Record<string, (units: number) => readonly [limit: Limit, graceMs: number]>> = {
  'sliding window': (units) => [slidingWindow({ limit: units, window: WINDOW_MS }), 50],
  'sliding window of a few long parts': (units) => [
    slidingWindow({ limit: units, window: WINDOW_MS, buckets: 7 }),
    143,
  ],
  'sliding window log': (units) => [slidingWindowLog({ limit: units, window: WINDOW_MS }), 0],
  'fixed window of the clock': (units) => [fixedWindow({ limit: units, window: WINDOW_MS, align: 'clock' }), 0],
  'token bucket': (units) => [tokenBucket({ capacity: units, refillRate: units }), 0],
  'token bucket of a strange rate': (units) => [tokenBucket({ capacity: units, refillRate: 0.777 * units }), 288],
};

/** Tests what a limit with guaranteed parts promises, over any store. */
export function guaranteeSuite(
  name: string,
  withStore: WithStore,
  { limits, adversaries, steps, seconds }: Extent,
): void {
  const chosen = Object.entries(LIMITS).filter(([limit]) => limits?.includes(limit) ?? true);
  const most = RUNS === undefined ? adversaries : Math.ceil(Number(RUNS) / LENDS.length);

  describe.each(chosen)(`In ${name}, a %s with guaranteed parts`, (limitName, limitOf) => {
    it.each(LENDS)('keeps every guarantee and its bound, and reaches that, with lend %d', async (lend) => {
      const [limit, graceMs] = limitOf(100);
      const found: Findings[] = [];
      for (let seed = 1; seed <= most; seed += 1) {
        found.push(
          await withStore((store, clock) => playAdversary(store, clock, { limit, lend, seed, steps, graceMs })),
        );
      }
      const worst = Math.max(...found.map((one) => one.worst));
      const broken = sum(found.map(({ brokenPromises }) => brokenPromises));
      const decisions = sum(found.map((one) => one.decisions));
      report(`${name}, ${limitName}, lend ${lend}: ${percent(worst)} of the bound, ${broken} of ${decisions} broken`);
      expect(broken).toBe(0);
      expect(worst).toBeLessThanOrEqual(1);
      expect(worst).toBeGreaterThanOrEqual(0.85);
    });

    if (SLOW.includes(limitName)) return;
    it('gives nine modest tenants what they ask for beside a greedy one, and is used as if nothing were guaranteed', async () => {
      const [limit] = limitOf(PER_SECOND);
      const play = (isGuaranteed: boolean) =>
        withStore((store, clock) =>
          playGreedyTenant(store, clock, { limit, seconds: RUNS === undefined ? seconds : 60, isGuaranteed }),
        );
      const [shared, plain] = [await play(true), await play(false)];
      const [least, used] = [percent(shared.leastOfTheNine), percent(shared.perSecond / plain.perSecond)];
      report(
        `${name}, ${limitName}: the nine got at least ${least}, all together ${used} of what they got without guarantees`,
      );
      expect(plain.leastOfTheNine).toBeLessThan(0.9);
      expect(shared.leastOfTheNine).toBeGreaterThanOrEqual(0.99);
      expect(shared.perSecond).toBeGreaterThanOrEqual(0.97 * plain.perSecond);
    });
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

/** Prints the figures of a long run. */
function report(line: string): void {
  if (RUNS !== undefined) process.stdout.write(`guarantees: ${line}\n`);
}
