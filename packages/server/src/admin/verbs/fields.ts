import { durationMs } from '@sluice/core/values';
import * as v from 'valibot';
import { must } from '../../input/exact-object.js';

const LONGEST_NAME = 128;
const LONGEST_REASON = 256;

/** The name of a policy. */
export const policyName = v.pipe(
  v.string(must('be the name of a policy')),
  v.maxLength(LONGEST_NAME, must('be the name of a policy')),
  v.description('The name of a policy of the file.'),
);

const WHY = `be text of 1 to ${LONGEST_REASON} characters, without control characters`;

/** Why somebody changes something. Audit lines have it. */
export const reason = v.pipe(
  v.string(must(WHY)),
  v.trim(),
  v.nonEmpty(must(WHY)),
  v.maxLength(LONGEST_REASON, must(WHY)),
  v.regex(/^\P{Cc}*$/u, must(WHY)),
  v.description('Why, for the audit. It must not contain the key.'),
);

const LENGTH = "be a duration of 1 ms to 100 years, in whole milliseconds or as '1h'";

/** How long something holds. */
export const duration = v.pipe(v.union([v.string(), v.number()], must(LENGTH)), v.check(isDuration, must(LENGTH)));

/** How many entries a list has at most. */
export function count(most: number, standard: number) {
  const rule = must(`be a whole number from 1 to ${most}`);
  return v.exactOptional(
    v.pipe(v.number(rule), v.safeInteger(rule), v.minValue(1, rule), v.maxValue(most, rule)),
    standard,
  );
}

export const flag = v.exactOptional(v.boolean(must('be true or false')), false);

function isDuration(value: string | number): boolean {
  try {
    durationMs(value, 'for');
    return true;
  } catch {
    return false;
  }
}
