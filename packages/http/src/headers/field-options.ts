import { optionError } from '@sluice/core/src/values/error';
import { checkOneOf, checkOptions } from '@sluice/core/src/values/option-checks';
import { checkFieldName } from './field-name.js';

/** The revisions of draft-ietf-httpapi-ratelimit-headers whose fields can be sent. */
export type HeaderDraft = 'draft-11' | 'draft-8' | 'draft-7' | 'draft-6';

/** Which header fields a policy sends. */
export interface HeaderFieldOptions {
  /** Default: true, which is the newest known revision, draft 11. */
  readonly standardHeaders?: boolean | HeaderDraft | undefined;
  /**
   * Default: true, which is `X-RateLimit-Limit`, `-Remaining` and `-Reset`, in seconds from now. A record sets other
   * names.
   */
  readonly legacyHeaders?: boolean | LegacyHeaders | undefined;
  /** Whether refusals have `Retry-After`; a function if that depends on the refusal. Default: true. */
  readonly retryAfter?: boolean | ((...args: never) => unknown) | undefined;
}

/** The names of each draft's fields, in lower case. */
const DRAFT_NAMES: Readonly<Record<HeaderDraft, readonly string[]>> = {
  'draft-11': ['ratelimit-policy', 'ratelimit'],
  'draft-8': ['ratelimit-policy', 'ratelimit'],
  'draft-7': ['ratelimit-policy', 'ratelimit'],
  'draft-6': ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
};

/** Other names for the legacy fields. False leaves a field out. */
export interface LegacyHeaders {
  /** The quota of the limit. Default: `X-RateLimit-Limit`. */
  readonly limit?: string | false;
  /** The remaining units. Default: `X-RateLimit-Remaining`. */
  readonly remaining?: string | false;
  /** The time until the limit is back to its full quota. Default: `X-RateLimit-Reset`. */
  readonly reset?: string | false;
  /**
   * An additional field of refusals with the seconds of `Retry-After`, such as `X-Retry-After`. Default: none. False
   * leaves out `Retry-After` itself, like the option `retryAfter: false`.
   */
  readonly retryAfter?: string | false;
  /**
   * The unit of `reset`. `'seconds'` (default): seconds from now. `'epoch'`: seconds since 1970, rounded up, by the
   * store's time of day.
   */
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

/** The names of the fields that are sent. A field whose name is undefined or false is not sent. */
export interface LegacyFields {
  readonly limit: string | false;
  readonly remaining: string | false;
  readonly reset: string | false;
  readonly retryAfter: string | false | undefined;
  readonly resetAs: 'seconds' | 'epoch';
}

const NONE: LegacyFields = { limit: false, remaining: false, reset: false, retryAfter: undefined, resetAs: 'seconds' };

/**
 * Returns the fields that the option `legacyHeaders` asks for.
 *
 * @throws SluiceError `SLUICE_OPTION` if it is neither a boolean nor names, or two fields have the same name
 */
function legacyFieldsOf(option: boolean | LegacyHeaders = true): LegacyFields {
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

/** The fields that a policy's options ask for. */
interface SentFields {
  /** Undefined if no `RateLimit` fields are sent. */
  readonly draft: HeaderDraft | undefined;
  readonly legacy: LegacyFields;
}

/**
 * Returns which fields a policy sends, and their names.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function sentFields(options: HeaderFieldOptions): SentFields {
  const { standardHeaders = true } = options;
  checkOneOf(standardHeaders, 'standardHeaders', [true, false, ...Object.keys(DRAFT_NAMES)]);
  const legacy = legacyFieldsOf(options.legacyHeaders);
  checkApart(options, legacy);
  return { draft: draftOf(options), legacy };
}

/** Returns the names of the fields in which a refusal says how long to wait. */
export function retryAfterNames({ retryAfter = true, legacyHeaders }: HeaderFieldOptions): readonly string[] {
  const { retryAfter: further } = legacyFieldsOf(legacyHeaders);
  const usual = retryAfter && further !== false ? ['Retry-After'] : [];
  const isFurther = further && !(usual.length > 0 && further.toLowerCase() === 'retry-after');
  return isFurther ? [...usual, further] : usual;
}

/** Returns the names of all fields that a policy sends, in lower case. */
export function ownFieldNames(options: HeaderFieldOptions): ReadonlySet<string> {
  const { limit, remaining, reset } = legacyFieldsOf(options.legacyHeaders);
  const legacy = [limit, remaining, reset, ...retryAfterNames(options)].filter((name) => name !== false);
  return new Set([...draftNamesOf(options), ...legacy.map((name) => name.toLowerCase())]);
}

function draftOf({ standardHeaders = true }: HeaderFieldOptions): HeaderDraft | undefined {
  return standardHeaders === true ? 'draft-11' : standardHeaders || undefined;
}

function draftNamesOf(options: HeaderFieldOptions): readonly string[] {
  const draft = draftOf(options);
  return draft ? DRAFT_NAMES[draft] : [];
}

/** Refuses a legacy field with the name of a draft field, which it would replace. */
function checkApart(options: HeaderFieldOptions, legacy: LegacyFields): void {
  const names = [...draftNamesOf(options), 'retry-after'];
  for (const field of ['limit', 'remaining', 'reset'] as const) {
    const name = legacy[field];
    if (name && names.includes(name.toLowerCase()))
      throw optionError(`legacyHeaders.${field}`, 'is already the name of another field', name);
  }
  const { retryAfter } = legacy;
  if (retryAfter && draftNamesOf(options).includes(retryAfter.toLowerCase()))
    throw optionError('legacyHeaders.retryAfter', 'is already the name of another field', retryAfter);
}
