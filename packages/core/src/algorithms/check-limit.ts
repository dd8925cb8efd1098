import { areBlockNumbers } from '../values/block-growth.js';
import { optionError } from '../values/error.js';
import { type CalendarWindow, isLimit, type Limit, unlimited } from '../values/limit.js';
import { at, checkWhole } from '../values/option-checks.js';
import { definitionOf, isAlgorithm } from './definitions.js';
import { checkCalendar } from './fixed-window.js';

/** Limits that passed the check, so that each limit is checked once. */
const checked = new WeakSet<Limit>([unlimited()]);

/** The same for calendar windows: to know a time zone takes long. */
const checkedCalendars = new WeakSet<CalendarWindow>();

/**
 * Checks that a limit has the numbers that its algorithm needs. A constructor returns valid limits, but a limit can
 * also come from JSON, be written by hand, or be returned by a tier. A missing number would make a wait that never
 * ends, and a number that is too large would be counted wrong.
 *
 * @param path - where the limit is in the options: `limits[1]`
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkLimit(limit: unknown, path: string): Limit {
  if (isLimit(limit) && checked.has(limit)) return limit;
  if (!isLimit(limit) || !(limit.algorithm === 'unlimited' || isAlgorithm(limit.algorithm))) {
    throw optionError(path, 'must be a Limit, as slidingWindow() or another constructor returns it', limit);
  }
  checkWhole(limit.quota, at(path, 'quota'));
  if (limit.algorithm !== 'unlimited') {
    const definition = definitionOf(limit);
    for (const [name, least] of definition.numbers(limit)) checkWhole(limit[name], at(path, name), least);
    checkWhole(limit.quota, at(path, 'quota'), 0, definition.largestQuota(limit));
    if (!areBlockNumbers(limit)) {
      const name = limit.blocksMs === undefined ? 'blockMs' : 'blocksMs';
      throw optionError(at(path, name), 'must be what a constructor makes of the option blockDuration', limit[name]);
    }
  }
  checked.add(limit);
  return limit;
}

/**
 * Checks a limit by which this process counts. A limit that follows the calendar can come from another process. This one may not
 * have imported what computes the intervals, or may not know the time zone. A client that only shows such a limit needs neither.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkCountableLimit(limit: unknown, path: string): Limit {
  const checked = checkLimit(limit, path);
  const { calendar } = checked;
  if (!calendar || checkedCalendars.has(calendar)) return checked;
  checkCalendar(calendar, at(path, 'calendar'), path);
  checkedCalendars.add(calendar);
  return checked;
}
