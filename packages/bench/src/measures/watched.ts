import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import type { Scale } from '../scale.js';
import { WATCHED_FLAGS, watchedOptions } from '../sections/watched-requests.js';
import { spreadOf } from '../spread.js';
import type { WatchedRound } from '../tasks/watched-requests.js';
import { workFor } from '../work-for.js';

/** A round of that task is a few requests, and its median resolves more than its sum. */
const SHORT_ROUNDS = 50;

/** Microseconds of the processor for a request of Express whose process has metrics, and for a reading of them. */
export function watched(scale: Scale): readonly Measure[] {
  return [
    {
      figures: [
        { name: 'a request of Express, nobody reads', unit: 'µs' },
        { name: 'a reading of the metrics', unit: 'µs' },
      ],
      async start(program) {
        const child = await Child.start('watched-requests', watchedOptions(scale), { flags: WATCHED_FLAGS, program });
        await workFor(scale.warmUpMs.http, () => child.ask('round'));
        return {
          async round() {
            const rounds: WatchedRound[] = [];
            for (let i = 0; i < SHORT_ROUNDS; i += 1) rounds.push(await child.ask('round'));
            const median = (of: (round: WatchedRound) => number): number => spreadOf(rounds.map(of)).median;
            return [median(({ unread }) => unread), median(({ reading }) => reading)];
          },
          end: () => child.end(),
        };
      },
    },
  ];
}
