import { constantText } from './constant-text.js';
import type { FieldWriter } from './field-writer.js';
import { availableUnits, effectiveSeconds } from './header-item.js';
import { quotaPolicies } from './quota-policies.js';
import { tightestOf } from './tightest.js';

/**
 * draft-ietf-httpapi-ratelimit-headers-07 section 3: `RateLimit: limit=100, remaining=50, reset=30`, a Dictionary about the
 * limit that is closest to being reached, and `RateLimit-Policy` about all. `reset` is required, so a limit that no time
 * brings back has no `RateLimit`.
 */
export const writeDraft7: FieldWriter = (fields, items) => {
  const tightest = tightestOf(items);
  const policies = quotaPolicies(items);
  if (policies !== '') fields['RateLimit-Policy'] = policies;
  const seconds = effectiveSeconds(tightest);
  if (seconds === undefined) return;
  const { quota } = constantText(tightest);
  fields.RateLimit = `limit=${quota}, remaining=${availableUnits(tightest.verdict)}, reset=${seconds}`;
};
