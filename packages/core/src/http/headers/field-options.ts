import { optionError } from '../../values/error.js';
import { checkOneOf, checkOptions } from '../../values/option-checks.js';
import { checkFieldName } from './field-name.js';

/** Revisions of draft-ietf-httpapi-ratelimit-headers whose fields can be sent. */
export type HeaderDraft = 'draft-11' | 'draft-8' | 'draft-7' | 'draft-6';

/** Which header fields a policy sends. */
export interface HeaderFieldOptions {
  /** Default true: the newest revision known, draft 11. */
  readonly standardHeaders?: boolean | HeaderDraft | undefined;
  /** Default true: `X-RateLimit-Limit`, `-Remaining` and `-Reset`, in seconds from now. Or other names. */
  readonly legacyHeaders?: boolean | LegacyHeaders | undefined;
  /** Whether refusals have `Retry-After`: default true. */
  readonly retryAfter?: boolean | undefined;
}

/** The names of each draft's fields, in lower case. */
const DRAFT_NAMES: Readonly<Record<HeaderDraft, readonly string[]>> = {
  'draft-11': ['ratelimit-policy', 'ratelimit'],
  'draft-8': ['ratelimit-policy', 'ratelimit'],
  'draft-7': ['ratelimit-policy', 'ratelimit'],
  'draft-6': ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
};

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

/** What a policy's options say is sent. */
interface SentFields {
  /** Undefined where none of the `RateLimit` fields is sent. */
  readonly draft: HeaderDraft | undefined;
  readonly legacy: LegacyFields;
}

/**
 * Which fields a policy sends, and under which names.
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

/** The names of the fields in which a refusal says how long to wait. */
export function retryAfterNames({ retryAfter = true, legacyHeaders }: HeaderFieldOptions): readonly string[] {
  const { retryAfter: further } = legacyFieldsOf(legacyHeaders);
  const usual = retryAfter && further !== false ? ['Retry-After'] : [];
  const isFurther = further && !(usual.length > 0 && further.toLowerCase() === 'retry-after');
  return isFurther ? [...usual, further] : usual;
}

/** The names of all fields that a policy sends, in lower case. */
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

/** A legacy field under a name of the draft's would replace that. */
function checkApart(options: HeaderFieldOptions, legacy: LegacyFields): void {
  const names = [...draftNamesOf(options), 'retry-after'];
  for (const field of ['limit', 'remaining', 'reset'] as const) {
    const name = legacy[field];
    if (name && names.includes(name.toLowerCase()))
      throw optionError(`legacyHeaders.${field}`, 'is the name of another field already', name);
  }
  const { retryAfter } = legacy;
  if (retryAfter && draftNamesOf(options).includes(retryAfter.toLowerCase()))
    throw optionError('legacyHeaders.retryAfter', 'is the name of another field already', retryAfter);
}
