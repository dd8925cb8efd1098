/**
 * `@sluice/core/calendars`: lets `fixedWindow` follow the calendar of a time zone. Import it once, before the first limit
 * with such a window is made. It exports nothing. `@sluice/config` and `@sluice/llm` import it by themselves.
 *
 * It is an entry of its own because it needs a library, and most programs have no calendar window.
 *
 * @example
 * import '@sluice/core/calendars';
 * const daily = fixedWindow({ limit: 1000, window: { unit: 'day', timeZone: 'Europe/Rome' } });
 * @module
 */

import { enableCalendars } from '@sluice/core/src/calendars/calendars';

enableCalendars();
