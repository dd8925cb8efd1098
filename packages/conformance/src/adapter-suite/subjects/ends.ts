import type { Subjects } from '../adapter-fixture.js';
import { connectionRules } from '../connection-rules.js';
import { outcomeRules } from '../outcome-rules.js';
import { slotRules } from '../slot-rules.js';
import { streamRules } from '../stream-rules.js';

/** What happens when a request ends, and on its connection. */
export const END_SUBJECTS: Subjects = {
  slots: slotRules,
  'the outcome of a request': outcomeRules,
  'streamed answers': streamRules,
  connections: connectionRules,
};
