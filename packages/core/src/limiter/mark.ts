import type { LimitCheck } from '../stores/store.js';

/** A shadow check that header fields state, and whose refusal marks the decision. Stores see a shadow check. */
interface MarkedCheck extends LimitCheck {
  readonly marked: true;
}

/** Returns the shadow check as one that is marked. */
export function marked(check: LimitCheck): LimitCheck {
  const own: MarkedCheck = { marked: true, ...check };
  return own;
}

/** Whether a check is marked. */
export function isMarked(check: LimitCheck): boolean {
  return 'marked' in check;
}
