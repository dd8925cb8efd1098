import { durationRule } from '@sluice/core/values';
import { literal, maxValue, minValue, number, pipe, regex, safeInteger, string, union } from 'valibot';

/** The values that stand in many places of a policy file. A message is the rule that a value breaks, as it follows the path. */

export const text = (rule = 'must be text: put it in quotes if it looks like a number') => string(rule);

export const pattern = (form: RegExp, rule: string) => pipe(string(rule), regex(form, rule));

export const whole = (least: number, most?: number) => {
  const rule = `must be a whole number ${most === undefined ? `of at least ${least}` : `from ${least} to ${most}`}`;
  const base = pipe(number(rule), safeInteger(rule), minValue(least, rule));
  return most === undefined ? base : pipe(base, maxValue(most, rule));
};

export const DURATION = durationRule(undefined);
/** The rule, and what the value in the file probably means. */
export const durationMessage = ({ input }: { readonly input: unknown }): string => durationRule(input);
const LONGEST_MS = 36_525 * 86_400_000;
export const duration = union(
  [
    pipe(number(DURATION), safeInteger(DURATION), minValue(1, DURATION), maxValue(LONGEST_MS, DURATION)),
    pipe(string(durationMessage), regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, durationMessage)),
  ],
  durationMessage,
);

const SHARE = 'must be a share: a number from 0 to 1, or a percentage such as 5%';
const shareOptions = [
  pipe(number(SHARE), minValue(0, SHARE), maxValue(1, SHARE)),
  pattern(/^(100(\.0+)?|\d{1,2}(\.\d+)?)%$/, SHARE),
] as const;
export const share = union(shareOptions, SHARE);

const ENFORCE = "must be a share, such as 0.05 or 5%, or 'mark'";
export const enforce = union([...shareOptions, literal('mark', ENFORCE)], ENFORCE);

export const time = pattern(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/,
  'must be a time with its zone, such as 2026-12-01T00:00:00Z',
);

export const name = pattern(/^[\x20-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters');
export const header = pattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header field, such as x-api-key');
