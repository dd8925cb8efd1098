import type { Account } from '../algorithms/standing.js';
import type { Check } from '../store.js';
import type { Kept } from './retention.js';
import type { Slot } from './timer-wheel.js';

/** One key's account, and where the retention has it. */
export class Entry implements Account, Kept<Entry> {
  state: object = {};
  blockEndsMs = 0;
  admittedMs = -1;
  dueMs = 0;
  expiresMs = 0;
  exhaustedUntilMs = 0;
  isExhausted = false;
  slot: Slot<Entry> | undefined;
  next: Entry | undefined;
  previous: Entry | undefined;

  constructor(readonly check: Check) {}
}
