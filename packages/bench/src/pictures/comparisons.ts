import { HOSTS } from '../contenders/http/index.js';
import { TIMES } from '../redis-table.js';
import { firstCalls, IN_PROCESS_LOADS, inProcess, overHttp, overRedis, rareCalls } from '../results/columns.js';
import type { Column } from '../results/place.js';
import { PLACEMENTS, type Placement } from '../sections/redis.js';
import type { BarChart } from './bars.js';

/** A picture of figures that were kept. */
export interface Comparison extends Pick<BarChart, 'title' | 'axis' | 'mark'> {
  /** The name of the picture's file. */
  readonly name: string;
  /** Whose run made the figures. */
  readonly section: string;
  /** The column that each panel shows, by the panel's title. */
  readonly panels: ReadonlyMap<string, Column>;
}

const placements = Object.entries(PLACEMENTS) as [Placement, string][];

/** The comparisons with other libraries that a reader wants to see first. */
export const COMPARISONS: readonly Comparison[] = [
  {
    name: 'redis-one-caller',
    title: 'Redis, one caller: times a minimal script. Less is better',
    section: 'redis',
    axis: 'linear',
    mark: 1,
    panels: new Map([
      ...placements.map(([name, text]) => [`Wait (p50), ${text}`, overRedis(1, name, TIMES.p50)] as const),
      ...placements.map(([name, text]) => [`Redis’ processor, ${text}`, overRedis(1, name, TIMES.processor)] as const),
    ]),
  },
  {
    name: 'redis-many-callers',
    title: 'Redis, many callers: decisions a second, times a minimal script. More is better',
    section: 'redis',
    axis: 'linear',
    mark: 1,
    panels: new Map(
      [64, 256].flatMap((callers) =>
        placements.map(
          ([name, text]) => [`${callers} callers, ${text}`, overRedis(callers, name, TIMES.decisions)] as const,
        ),
      ),
    ),
  },
  {
    name: 'in-process',
    title: 'In process: nanoseconds for a decision, on a logarithmic axis. Less is better',
    section: 'in-process',
    axis: 'log',
    panels: new Map(IN_PROCESS_LOADS.map((load) => [capitalized(load), inProcess(load, 'ns of the processor')])),
  },
  {
    name: 'http',
    title: 'HTTP: microseconds of the processor that limiting adds to a request. Less is better',
    section: 'http',
    axis: 'linear',
    panels: new Map([...HOSTS.keys()].map((host) => [`${host}, by address`, overHttp(host, 'allowed')])),
  },
  {
    name: 'rare',
    title: 'New processes and rare calls over Redis: times a minimal script. Less is better',
    section: 'rare',
    axis: 'linear',
    mark: 1,
    panels: new Map([
      ['First 100 calls of a process, p50', firstCalls('p50, times')],
      ['First 100 calls of a process, p99', firstCalls('p99, times')],
      ['One call in 100 ms, p50', rareCalls('p50, times')],
      ['One call in 100 ms, p99', rareCalls('p99, times')],
    ]),
  },
];

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
