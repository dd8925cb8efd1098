import type { CalendarBoundsCache } from '../values/calendar.js';
import { changedCheck } from './check-parts.js';
import type { LimitCheck } from './store.js';

/** Returns the same checks. Those of calendar limits get the interval boundaries around the store's own time. */
export function withCalendarBounds<C extends LimitCheck>(
  bounds: CalendarBoundsCache,
  checks: readonly C[],
  atMs: number,
): readonly C[] {
  return checks.map((check) =>
    changedCheck(check, ({ limit: { calendar } }) => (calendar ? { calendarBoundsMs: bounds.at(calendar, atMs) } : {})),
  );
}
