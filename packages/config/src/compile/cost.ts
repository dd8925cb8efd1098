import type { CostRule } from '../file/policy-file.js';
import { trustedHeader } from './request-value.js';

/** A cost, or the function that reads it from a request. */
export type Cost<Req extends object> = number | ((request: Req) => number);

/**
 * Compiles a cost. A value outside `min` and `max` counts as the nearer of the two, and a missing or unreadable one as
 * `default`.
 *
 * @param read - the function of the code; the file is checked to have one
 */
export function costOf<Req extends object>(
  rule: CostRule,
  read: ((request: Req) => number | undefined) | undefined,
): Cost<Req> {
  if (rule.from === 'constant') return rule.units;
  const { min, max, default: usual } = rule;
  const value = rule.from === 'header' ? headerUnits(rule.header, rule.trustedFrom) : read;
  return (request) => {
    const units = value?.(request) ?? usual;
    return Math.min(Math.max(units, min), max);
  };
}

const DIGITS = /^\d+$/;

function headerUnits(field: string, trustedFrom: readonly string[]): (request: object) => number | undefined {
  const read = trustedHeader(field, trustedFrom);
  return (request) => {
    const text = read(request)?.trim();
    return text !== undefined && DIGITS.test(text) ? Number(text) : undefined;
  };
}
