import { PRIORITIES, type Priority } from '@sluice/core/src/values/priority';
import type { LoadState } from './shedder.js';
import { allShedderRecorders, type ShedderRecorder } from './shedder-recorder.js';

/** How many requests of each class. */
export type ByPriority = Readonly<Record<Priority, number>>;

/** What the shedders of one name have done in this process since it started. */
export interface ShedderMetrics {
  /** The `name` of the shedders. Shedders with one name are counted together. */
  readonly shedder: string;
  /** Requests that were admitted, by their class. */
  readonly admitted: ByPriority;
  /**
   * Refused requests, by the reason: the event loop was too busy (`loop`), or too many requests were in flight
   * (`inFlight`).
   */
  readonly refused: { readonly loop: ByPriority; readonly inFlight: ByPriority };
  /** Requests that are never refused. */
  readonly exempt: number;
  /**
   * The state now. Of several shedders, requests and limits are added, and the border and the age are those of the busiest.
   * Absent if no shedder of this name is used any more.
   */
  readonly state?: LoadState;
}

/**
 * Returns what the shedders of this process have done so far. The numbers are always counted, and only grow, except for
 * `state`. At most 1,000 names are told apart. Further ones are counted together as `'(others)'`.
 *
 * @example
 * for (const { shedder, refused } of shedderMetrics()) console.log(shedder, refused.loop.critical);
 */
export function shedderMetrics(): readonly ShedderMetrics[] {
  return [...allShedderRecorders()].map(read);
}

function read({ shedder, admitted, refusedByLoop, refusedInFlight, exempt, states }: ShedderRecorder): ShedderMetrics {
  const all = [...states];
  return {
    shedder,
    admitted: byPriority(admitted),
    refused: { loop: byPriority(refusedByLoop), inFlight: byPriority(refusedInFlight) },
    exempt,
    ...(all.length > 0 && { state: together(all) }),
  };
}

function byPriority(numbers: Float64Array): ByPriority {
  const [critical = 0, normal = 0, low = 0] = numbers;
  return { critical, normal, low };
}

function together(states: readonly LoadState[]): LoadState {
  const borders = new Set(states.map(({ border }) => border));
  return {
    isShedding: states.some(({ isShedding }) => isShedding),
    border: PRIORITIES.find((priority) => borders.has(priority)),
    ageMs: Math.max(...states.map(({ ageMs }) => ageMs)),
    limit: states.reduce((sum, { limit }) => sum + limit, 0),
    inFlight: states.reduce((sum, { inFlight }) => sum + inFlight, 0),
  };
}
