import type { Clock } from '../../values/clock.js';
import { checkOneOf, checkOptions } from '../../values/option-checks.js';
import { checkFieldName } from './field-name.js';
import { availableUnits, constantText, effectiveSeconds, type FieldWriter, tightestOf } from './item.js';

/** Names of the legacy fields, where they are not the usual ones; false leaves a field out. */
export interface LegacyHeaders {
  /** The limit's quota: default `X-RateLimit-Limit`. */
  readonly limit?: string | false;
  /** Units that are left: default `X-RateLimit-Remaining`. */
  readonly remaining?: string | false;
  /** When the limit is as fresh: default `X-RateLimit-Reset`. */
  readonly reset?: string | false;
  /**
   * A further field of refusals with the seconds of `Retry-After`, such as `X-Retry-After`: default none. False leaves out
   * `Retry-After` itself, as the option `retryAfter: false` does.
   */
  readonly retryAfter?: string | false;
  /** What `reset` is in: default seconds from now; `'epoch'` is seconds since 1970, rounded up, by the store's time of day. */
  readonly resetAs?: 'seconds' | 'epoch';
}

const OPTIONS = ['limit', 'remaining', 'reset', 'retryAfter', 'resetAs'] as const;

/** The usual names. */
const USUAL = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
  retryAfter: undefined,
  resetAs: 'seconds',
} as const;

/** What is sent under which names; a name that is undefined or false is not sent. */
export interface LegacyFields {
  readonly limit: string | false;
  readonly remaining: string | false;
  readonly reset: string | false;
  readonly retryAfter: string | false | undefined;
  readonly resetAs: 'seconds' | 'epoch';
}

const NONE: LegacyFields = { limit: false, remaining: false, reset: false, retryAfter: undefined, resetAs: 'seconds' };

/**
 * What the option `legacyHeaders` means.
 *
 * @throws SluiceError `SLUICE_OPTION` for what is neither a boolean nor names, and for a name that two fields have
 */
export function legacyFieldsOf(option: boolean | LegacyHeaders = true): LegacyFields {
  if (typeof option !== 'object' || option === null) {
    return checkOneOf(option, 'legacyHeaders', [true, false]) ? USUAL : NONE;
  }
  checkOptions(option, OPTIONS, 'legacyHeaders');
  const taken = new Set<string>();
  const nameOf = <D extends string | undefined>(field: 'limit' | 'remaining' | 'reset' | 'retryAfter', usual: D) => {
    const { [field]: name = usual } = option;
    return name === undefined || name === false
      ? (name as D | false)
      : checkFieldName(name, `legacyHeaders.${field}`, taken);
  };
  return {
    limit: nameOf('limit', USUAL.limit),
    remaining: nameOf('remaining', USUAL.remaining),
    reset: nameOf('reset', USUAL.reset),
    retryAfter: nameOf('retryAfter', undefined),
    resetAs: checkOneOf(option.resetAs ?? USUAL.resetAs, 'legacyHeaders.resetAs', ['seconds', 'epoch'] as const),
  };
}

/**
 * Writes the fields that many clients have read for long, though no document defines them: limit, remaining and reset of the
 * tightest limit. The reset is absent if no time brings the limit back.
 *
 * @param clock - the time of day, for a reset that is one.
 */
export function legacyWriter(
  { limit, remaining, reset, resetAs }: LegacyFields,
  clock: Pick<Clock, 'now'>,
): FieldWriter {
  return (fields, items) => {
    const tightest = tightestOf(items);
    if (limit) fields[limit] = constantText(tightest).quota;
    if (remaining) fields[remaining] = String(availableUnits(tightest.verdict));
    const seconds = reset ? effectiveSeconds(tightest) : undefined;
    if (!reset || seconds === undefined) return;
    fields[reset] = String(resetAs === 'epoch' ? Math.ceil(clock.now() / 1000) + seconds : seconds);
  };
}
