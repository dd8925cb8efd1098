import { registerLines } from '../line-maker.js';
import { linesOf } from './line-of.js';

/** Lets limiters have lines. The entries do it. */
export function enableLines(): void {
  registerLines(linesOf);
}
