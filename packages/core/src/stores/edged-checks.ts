import type { CalendarEdges } from '../values/calendar.js';
import type { Check } from './store.js';

/** The same checks, those of calendars with the edges around a store's own time. */
export function edgedAt<C extends Check>(edges: CalendarEdges, checks: readonly C[], atMs: number): readonly C[] {
  return checks.map((check) => {
    const { calendar } = check.limit;
    return calendar ? { ...check, edgesMs: edges.at(calendar, atMs) } : check;
  });
}
