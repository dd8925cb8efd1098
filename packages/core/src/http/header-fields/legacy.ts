import { constantText } from './constant-text.js';
import type { FieldWriter } from './field-writer.js';
import { availableUnits, effectiveSeconds } from './header-item.js';
import { tightestOf } from './tightest.js';

/**
 * The fields that many clients have read for long, though no document defines them: `X-RateLimit-Limit`, `-Remaining` and
 * `-Reset` of the tightest limit. `-Reset` is in seconds from now, and absent if no time brings the limit back.
 */
export const writeLegacy: FieldWriter = (fields, items) => {
  const tightest = tightestOf(items);
  fields['X-RateLimit-Limit'] = constantText(tightest).quota;
  fields['X-RateLimit-Remaining'] = String(availableUnits(tightest.verdict));
  const seconds = effectiveSeconds(tightest);
  if (seconds !== undefined) fields['X-RateLimit-Reset'] = String(seconds);
};
