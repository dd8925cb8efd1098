// Why it is so: docs/why/waiting.md

import { SluiceError } from '../values/error.js';
import type { linesOf } from './line/line-of.js';

let made: typeof linesOf | undefined;

/** Lets the limiters of this copy of the package have lines. */
export function registerLines(make: typeof linesOf): void {
  made = make;
}

/**
 * Returns what makes lines.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` if nothing has brought it, which is so only in a bundle for a browser
 */
export function lineMaker(): typeof linesOf {
  if (made) return made;
  const message = "limiter.wait() needs an import of '@sluice/core/lines' in a browser, where your program begins";
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}
