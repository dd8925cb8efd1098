import type { Subjects } from '../adapter-fixture.js';
import { admissionRules } from '../admission-rules.js';
import { costRules } from '../cost-rules.js';
import { delayRules } from '../delay-rules.js';
import { guaranteeRules } from '../guarantee-rules.js';
import { maxWaitRules } from '../max-wait-rules.js';
import { requestPoliciesRules } from '../request-policies-rules.js';
import { shadowRules } from '../shadow-rules.js';

/** How requests are limited: one limit, several of a policy or of policies, and what a request can do besides going on. */
export const LIMIT_SUBJECTS: Subjects = {
  'one limit': admissionRules,
  'costs and several limits': costRules,
  'guaranteed parts': guaranteeRules,
  'several policies of a request': requestPoliciesRules,
  'limits that are not enforced': shadowRules,
  'a leaky bucket': delayRules,
  'refused requests that may wait': maxWaitRules,
};
