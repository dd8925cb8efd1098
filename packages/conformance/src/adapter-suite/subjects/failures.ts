import type { Subjects } from '../adapter-fixture.js';
import { failingCallbackRules } from '../failing-callback-rules.js';
import { storeErrorRules } from '../store-error-rules.js';

/** What happens if something fails that a decision needs. */
export const FAILURE_SUBJECTS: Subjects = {
  'callbacks that fail': failingCallbackRules,
  'a lost store': storeErrorRules,
};
