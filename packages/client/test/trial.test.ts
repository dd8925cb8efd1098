import { describe, expect, it } from '@jest/globals';
import { playTrial, type TrialOptions } from './trial.js';

const IS_FULL = process.env.SLUICE_CLIENT === 'full';
const SECONDS = IS_FULL ? 300 : 25;
const TRIAL = { processes: 8, seconds: SECONDS, perSecond: 20 };

/** The requests that the server has, at its limit of 100 per 10 seconds. */
const LIMIT = SECONDS * 10;

describe('eight processes with one key, which want twice the limit', () => {
  it.each<Pick<TrialOptions, 'jitterMs' | 'pace' | 'seed'>>([
    { jitterMs: 20, pace: 'burst', seed: 1 },
    ...(IS_FULL
      ? ([
          { jitterMs: 40, pace: 'burst', seed: 2 },
          { jitterMs: 200, pace: 'burst', seed: 3 },
          { jitterMs: 20, pace: 'even', seed: 4 },
        ] as const)
      : []),
  ])(
    'are hardly ever refused, and use the limit: %j',
    async (options) => {
      const { sentMs, refusedMs } = await playTrial({ ...TRIAL, ...options });
      const sentEarly = sentMs.filter((ms) => ms < 60_000).length;
      const early = refusedMs.filter((ms) => ms < 60_000).length;
      const served = sentMs.length - refusedMs.length;
      const parts = [
        early / sentEarly,
        (refusedMs.length - early) / Math.max(1, sentMs.length - sentEarly),
        served / LIMIT,
      ];
      if (IS_FULL) {
        const [first, later, used] = parts.map((part) => `${(100 * part).toFixed(2)} %`);
        const how = `pace ${options.pace}, jitter ${options.jitterMs} ms`;
        process.stdout.write(`client: ${how}: ${first} refused at first, ${later} later, ${used} of the limit used\n`);
      }
      expect(parts[0]).toBeLessThanOrEqual(0.02);
      expect(parts[1]).toBeLessThanOrEqual(0.001);
      expect(parts[2]).toBeGreaterThanOrEqual(0.9);
    },
    600_000,
  );
});
