import { Child } from './child-process.js';
import type { Measure } from './comparison.js';
import { HOSTS } from './contenders/http/index.js';
import { SLUICE_LIMITS } from './contenders/sluice-limits.js';
import { LOADS, type LoadName } from './loads.js';
import type { Scale } from './scale.js';
import { ALLOCATION_FLAGS, ALLOCATION_LOADS } from './sections/allocation.js';
import { OUTCOMES, type Outcome, roundOf } from './sections/http.js';

/** What two checkouts are compared by, by the section that measures it beside the peers. */
export const MEASURES: ReadonlyMap<string, (scale: Scale) => readonly Measure[]> = new Map([
  ['in-process', (scale) => (Object.keys(LOADS) as LoadName[]).flatMap((load) => decisionsOf(load, scale))],
  ['allocation', (scale) => ALLOCATION_LOADS.flatMap((load) => allocationsOf(load, scale))],
  ['http', (scale) => [...HOSTS.keys()].flatMap((host) => requestsOf(host, scale))],
]);

const contenders = Object.keys(SLUICE_LIMITS);

function decisionsOf(load: LoadName, scale: Scale): readonly Measure[] {
  return contenders.map((contender) => ({
    name: `${contender}: ${load}`,
    unit: 'ns',
    async start(program) {
      const child = await Child.start('decisions', { contender, load, scale }, { program });
      return { round: () => child.ask('round'), end: () => child.end() };
    },
  }));
}

function allocationsOf(load: LoadName, scale: Scale): readonly Measure[] {
  return contenders.map((contender) => ({
    name: `${contender}: ${load}`,
    unit: 'bytes',
    async start(program) {
      const child = await Child.start('allocation', { contender, load, scale }, { flags: ALLOCATION_FLAGS, program });
      // A collection in between would make it less than nothing.
      return { round: async () => Math.max(0, await child.ask('round')), end: () => child.end() };
    },
  }));
}

function requestsOf(host: string, scale: Scale): readonly Measure[] {
  return (Object.keys(OUTCOMES) as Outcome[]).map((outcome) => ({
    name: `${host}: ${outcome}`,
    unit: 'µs',
    async start(program) {
      const { limit, status } = OUTCOMES[outcome];
      const options = { host, variant: 'Sluice', quota: { limit, windowMs: 3_600_000 } };
      const child = await Child.start('http-server', options, { program });
      const round = await roundOf(child, status, scale);
      return { round: async () => (await round()).processorUs, end: () => child.end() };
    },
  }));
}
