import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Bundle, bundleOf } from '../../src/process/bundle.js';
import { type Away, playWayBack } from './way-back.js';

/** CI plays a small fleet a few times. `npm run proof -- way-back` plays those of which the documentation speaks. */
const IS_FULL = process.env.SLUICE_FLEETS === 'full';
const FLEETS = IS_FULL
  ? [
      { instances: 10, trials: 100, withinMs: 1000 },
      { instances: 200, trials: 100, withinMs: 1000 },
      { instances: 2000, trials: 2, withinMs: 2000 },
    ]
  : [{ instances: 12, trials: 2, withinMs: 1000 }];

let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleOf(`${__dirname}/../../../..`);
});

describe.each<Away>(['freezes', 'restarts without its data'])('A fleet whose Redis %s', (away) => {
  it.each(FLEETS)(
    'decides by it again within $withinMs ms, in every one of $instances instances',
    async ({ instances, trials, withinMs }) => {
      const slowest: number[] = [];
      const all: number[] = [];
      for (let seed = 1; seed <= trials; seed += 1) {
        const backMs = await playWayBack(bundle, instances, away, seed);
        all.push(...backMs);
        slowest.push(Math.max(...backMs));
      }
      const inTime = slowest.filter((ms) => ms <= withinMs).length;
      all.sort((one, other) => one - other);
      const [half, most] = [all[all.length >> 1], all.at(-1)].map((ms) => Math.round(ms as number));
      if (IS_FULL)
        process.stderr.write(
          `way back: simulated, ${instances} instances, Redis ${away}: all within ${withinMs} ms in ${inTime} of ${trials} trials; p50 ${half} ms, slowest ${most} ms\n`,
        );
      expect(inTime).toBeGreaterThanOrEqual(0.99 * trials);
    },
    3_600_000,
  );
});
