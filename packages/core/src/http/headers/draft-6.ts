import { constantText } from './constant-text.js';
import type { FieldWriter } from './field-writer.js';
import { availableUnits, effectiveSeconds } from './header-item.js';
import { quotaPolicies } from './quota-policies.js';
import { tightestOf } from './tightest.js';

/**
 * draft-ietf-httpapi-ratelimit-headers-06 sections 3 and 4: a field each for limit, remaining and reset of the limit that is
 * closest to being reached, and `RateLimit-Policy` about all. `RateLimit-Limit` requires `RateLimit-Reset`, so a limit that
 * no time brings back has none of the three.
 */
export const writeDraft6: FieldWriter = (fields, items) => {
  const tightest = tightestOf(items);
  const policies = quotaPolicies(items);
  if (policies !== '') fields['RateLimit-Policy'] = policies;
  const seconds = effectiveSeconds(tightest);
  if (seconds === undefined) return;
  fields['RateLimit-Limit'] = constantText(tightest).quota;
  fields['RateLimit-Remaining'] = String(availableUnits(tightest.verdict));
  fields['RateLimit-Reset'] = String(seconds);
};
