import type { CalendarEdges } from '../values/calendar.js';
import type { Check } from './store.js';

/** Returns the same checks. Those of calendar limits get the interval boundaries around the store's own time. */
export function edgedAt<C extends Check>(edges: CalendarEdges, checks: readonly C[], atMs: number): readonly C[] {
  return checks.map((check) => {
    const { calendar } = check.limit;
    return calendar ? { ...check, edgesMs: edges.at(calendar, atMs) } : check;
  });
}
