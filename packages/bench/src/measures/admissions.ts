import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import { ADMISSIONS } from '../contenders/admission.js';
import type { Scale } from '../scale.js';
import { ALLOCATION_FLAGS } from '../sections/allocation.js';
import { OUTCOMES, type Outcome } from '../sections/http.js';

/** What a request costs in the half that all frameworks share. */
export function admissions(scale: Scale): readonly Measure[] {
  const ours = [...ADMISSIONS.keys()].filter((name) => name.startsWith('Sluice'));
  return ours.flatMap((contender) =>
    (Object.keys(OUTCOMES) as Outcome[]).map((outcome) => ({
      figures: [
        { name: `${contender}, ${outcome}: time`, unit: 'ns' },
        { name: `${contender}, ${outcome}: memory`, unit: 'bytes' },
      ],
      async start(program) {
        const options = { contender, outcome, scale };
        const child = await Child.start('admission', options, { flags: ALLOCATION_FLAGS, program });
        await child.ask('warmUp', scale.warmUpMs.inProcess);
        return {
          async round() {
            const { ns, bytes } = await child.ask('round');
            return [ns, bytes];
          },
          end: () => child.end(),
        };
      },
    })),
  );
}
