import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Bundle, bundleOf } from '../../src/process/bundle.js';
import { commandsOfDecision } from './cost-of-fleets.js';

/** CI plays small fleets. `npm run proof -- fleets` plays those of which the documentation speaks, and prints their figures. */
const IS_FULL = process.env.SLUICE_FLEETS === 'full';

const RATES = IS_FULL ? [0.2, 1, 3, 10, 50] : [1, 50];
const FLEETS = IS_FULL
  ? [
      ...RATES.map((perSecond) => ({ instances: 10, keys: 20, perSecond })),
      ...[1, 7.5].map((perSecond) => ({ instances: 200, keys: 1, perSecond })),
    ]
  : RATES.map((perSecond) => ({ instances: 3, keys: 3, perSecond }));

/** What busy keys may cost, times a plain store. */
const MOST_BUSY = { leased: 0.35, synced: 0.6 } as const;
const BUSY_PER_SECOND = 50;
const MOST = 1.05;

let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleOf(`${__dirname}/../../../..`);
});

describe('A fleet with a store in front', () => {
  it.each(FLEETS)(
    'never costs Redis more than a plain one: $instances instances, $perSecond requests a second of each key',
    async (load) => {
      const strict = await commandsOfDecision(bundle, 'strict', load, 1);
      for (const form of ['leased', 'synced'] as const) {
        const times = (await commandsOfDecision(bundle, form, load, 1)) / strict;
        if (IS_FULL)
          process.stderr.write(
            `fleets: simulated, ${load.instances} instances, ${load.perSecond} requests a second of each key: ${form} ${times.toFixed(2)} times the commands of a plain store\n`,
          );
        expect(times).toBeLessThanOrEqual(load.perSecond >= BUSY_PER_SECOND ? MOST_BUSY[form] : MOST);
      }
    },
    3_600_000,
  );
});
