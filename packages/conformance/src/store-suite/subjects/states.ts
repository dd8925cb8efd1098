import { closingRules } from '../closing-rules.js';
import { countingRules } from '../counting-rules.js';
import { forgettingRules } from '../forgetting-rules.js';
import { identityRules } from '../identity-rules.js';
import { onceRules } from '../once-rules.js';
import { returnRules } from '../return-rules.js';
import { slotRules } from '../slot-rules.js';
import type { Subjects } from '../store-fixture.js';

/** What a store keeps of a decision, and what becomes of it. */
export const STATE_SUBJECTS: Subjects = {
  identity: identityRules,
  'at most once': onceRules,
  'what may come back': returnRules,
  slots: slotRules,
  forgetting: forgettingRules,
  counting: countingRules,
  closing: closingRules,
};
