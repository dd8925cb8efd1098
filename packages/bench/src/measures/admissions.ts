import type { Measure } from '../comparison.js';
import { ADMISSIONS } from '../contenders/admission.js';
import { OUTCOME_NAMES } from '../contenders/http/outcomes.js';
import type { Scale } from '../scale.js';
import { ALLOCATION_FLAGS } from '../sections/allocation.js';
import { roundsOfChild } from './rounds-of-child.js';

/** What a request costs in the half that all frameworks share. */
export function admissions(scale: Scale): readonly Measure[] {
  const ours = [...ADMISSIONS.keys()].filter((name) => name.startsWith('Sluice'));
  return ours.flatMap((contender) =>
    OUTCOME_NAMES.map((outcome) =>
      roundsOfChild(
        {
          task: 'admission',
          options: { contender, outcome, scale },
          flags: ALLOCATION_FLAGS,
          figures: [
            { name: `${contender}, ${outcome}: time`, unit: 'ns' },
            { name: `${contender}, ${outcome}: memory`, unit: 'bytes' },
          ],
          valuesOf: ({ ns, bytes }) => [ns, bytes],
        },
        scale,
      ),
    ),
  );
}
