import type { Subjects } from '../adapter-fixture.js';
import { decisionHookRules } from '../decision-hook-rules.js';
import { fieldRules } from '../field-rules.js';
import { ownFieldRules } from '../own-field-rules.js';
import { refusalChoiceRules } from '../refusal-choice-rules.js';
import { refusalRules } from '../refusal-rules.js';
import { unitRules } from '../unit-rules.js';

/** What is told of a decision: to the client in the response, and to the application. */
export const RESPONSE_SUBJECTS: Subjects = {
  'header fields': fieldRules,
  "fields of one's own": ownFieldRules,
  'units of limits': unitRules,
  refusals: refusalRules,
  'refusals by decision': refusalChoiceRules,
  'the hook of every decision': decisionHookRules,
};
