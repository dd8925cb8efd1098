import { blockRules } from '../block-rules.js';
import { changeRules } from '../change-rules.js';
import { guaranteeRules } from '../guarantee-rules.js';
import { peekRules } from '../peek-rules.js';
import { refusalRules } from '../refusal-rules.js';
import type { Subjects } from '../store-fixture.js';
import { timeRules } from '../time-rules.js';
import { togetherRules } from '../together-rules.js';

/** What a store answers to a request. */
export const DECISION_SUBJECTS: Subjects = {
  'several checks': togetherRules,
  looks: peekRules,
  'counted refusals': refusalRules,
  guarantees: guaranteeRules,
  'changed limits': changeRules,
  'blocks by hand': blockRules,
  'deadlines and calendars': timeRules,
};
