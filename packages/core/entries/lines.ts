/**
 * `@sluice/core/lines`: lets `limiter.wait` wait in a program for a browser. Import it once, where the program begins. It exports
 * nothing. No other program needs it: `@sluice/core` brings it by itself, except through the export condition `browser`.
 *
 * @example
 * import '@sluice/core/lines';
 * const reservation = await createLimiter({ limit: 1, window: '1s' }).wait('search');
 * @module
 */

import { enableLines } from '@sluice/core/src/limiter/line/enable-lines';

enableLines();
