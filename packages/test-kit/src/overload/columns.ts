import type { Slices } from './processor.js';
import type { Phase, Scenario } from './scenario.js';

/** A kind of server, and how many requests it can answer each second. */
export interface Column extends Omit<Scenario, 'phases'> {
  readonly capacityPerS: number;
}

/** A server that waits for `servers` servers. */
function downstream(servers: number, serviceMs: number, contention: number): Column {
  return {
    capacityPerS: (1000 * servers) / serviceMs,
    routes: [{ weight: 1, steps: [{ cpuMs: 0.2 }, { call: 'database' }, { cpuMs: 0.2 }] }],
    downstreams: { database: { servers, serviceMs, contention } },
  };
}

/** The kinds of servers that a shedder has to protect. The first two are short of processor time, the others wait. */
export const COLUMNS = {
  sync: { capacityPerS: 400, routes: [{ weight: 1, steps: [{ cpuMs: 2.5 }] }] },
  cpu: { capacityPerS: 400, routes: [{ weight: 1, steps: [{ cpuMs: 1.5 }, { ioMs: 20 }, { cpuMs: 1 }] }] },
  'down 5': downstream(5, 20, 0.02),
  'down 8': downstream(8, 8, 0.02),
  'down 20': downstream(20, 20, 0.02),
  'down 100': downstream(100, 100, 0.005),
} satisfies Readonly<Record<string, Column>>;

export type ColumnName = keyof typeof COLUMNS;

/** A phase at a multiple of the capacity. */
export function phaseOf(
  { capacityPerS }: Column,
  name: string,
  times: number,
  forMs: number,
  more: Omit<Partial<Phase>, 'name' | 'forMs' | 'perS'> = {},
): Phase {
  return { name, forMs, perS: times * capacityPerS, ...more };
}

/** Half of a processor: 50 ms of it in each 100 ms. */
export const QUOTA: Slices = { everyMs: 100, takenMs: 50, part: 'after work' };
