import type { Clock } from '@sluice/core';
import { reasonOf, warn } from '@sluice/core/values';
import type { Source } from '../source/source.js';
import { sleeps } from '../source/waiting.js';

/** How long after a failure changes are asked for again. */
const AGAIN_MS = 1000;

/** Whose changes are followed, and until when. */
interface Followed {
  readonly told: Pick<Source, 'changes'>;
  /** What the warning calls it. */
  readonly name: 'source' | 'controls';
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Calls `changed` at each change, until the signal aborts. It never fails: what an application has made itself may fail to tell of
 * changes, and some of them may be lost then.
 */
export async function followChanges(
  { told, name, clock, signal }: Followed,
  changed: () => Promise<unknown>,
): Promise<void> {
  for (let hasWarned = false; ; hasWarned = true) {
    try {
      for await (const _ of told.changes(signal)) await changed();
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!hasWarned) warn('SLUICE_HOOK_FAILED', `${name}.changes failed, so it is called again: ${reasonOf(error)}`);
    }
    if (!(await sleeps(clock, AGAIN_MS, signal))) return;
    await changed();
  }
}
