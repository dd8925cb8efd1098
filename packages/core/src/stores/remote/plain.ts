import type { Ask } from '../store.js';

/** Whether a question asks to spend and nothing else: the common one. */
export function isPlain({ peek, renew, id, holdMs, atLeast, notAfterMs }: Ask): boolean {
  return (
    !peek && !renew && id === undefined && holdMs === undefined && atLeast === undefined && notAfterMs === undefined
  );
}
