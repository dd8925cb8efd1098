import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import { HOSTS } from '../contenders/http/index.js';
import { OUTCOME_NAMES, OUTCOMES, type Outcome } from '../contenders/http/outcomes.js';
import type { Scale } from '../scale.js';
import { roundOf } from '../sections/http.js';
import { workFor } from '../work-for.js';

const IDENTITY = 'address';

/** Microseconds of the processor for a whole request of each framework, by address behind a proxy: allowed and refused. */
export function requests(scale: Scale): readonly Measure[] {
  return [...HOSTS.keys()].flatMap((host) => OUTCOME_NAMES.map((outcome) => measureOf(host, outcome, scale)));
}

function measureOf(host: string, outcome: Outcome, scale: Scale): Measure {
  return {
    figures: [{ name: `${host}: ${outcome}`, unit: 'µs' }],
    async start(program) {
      const { limit, status } = OUTCOMES[outcome];
      const options = { host, variant: 'Sluice', identity: IDENTITY, quota: { limit, windowMs: 3_600_000 } };
      const child = await Child.start('http-server', options, { program });
      const round = await roundOf(child, status, { ...scale, ...scale.http }, { host, identity: IDENTITY });
      await workFor(scale.warmUpMs.http, round);
      return { round: async () => [(await round()).processorUs], end: () => child.end() };
    },
  };
}
