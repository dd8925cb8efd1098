import { type Clock, systemClock, wallClock } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import { optionError } from '../../values/error.js';
import { checkOneOf } from '../../values/option-checks.js';
import { writeDraft11 } from './draft-11.js';
import { countsRequests, type FieldWriter, type HeaderItem, hasRegisteredUnit, isEnforced } from './item.js';
import { type LegacyFields, type LegacyHeaders, legacyFieldsOf, legacyWriter } from './legacy.js';
import { writeDraft6, writeDraft7 } from './older-drafts.js';

export type { LegacyHeaders } from './legacy.js';

/** Revisions of draft-ietf-httpapi-ratelimit-headers whose fields can be sent. */
export type HeaderDraft = 'draft-11' | 'draft-8' | 'draft-7' | 'draft-6';

/** Drafts 6 and 7, and the legacy fields, have no word for a unit: they are about requests. */
const DRAFTS: Readonly<Record<HeaderDraft, FieldWriter>> = {
  'draft-11': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-8': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-7': ofThose(countsRequests, writeDraft7),
  'draft-6': ofThose(countsRequests, writeDraft6),
};

/** The names of each draft's fields, in lower case. */
const DRAFT_NAMES: Readonly<Record<HeaderDraft, readonly string[]>> = {
  'draft-11': ['ratelimit-policy', 'ratelimit'],
  'draft-8': ['ratelimit-policy', 'ratelimit'],
  'draft-7': ['ratelimit-policy', 'ratelimit'],
  'draft-6': ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
};

/** Writes of those items that it can tell of, if there are any. */
function ofThose(canTell: (verdict: Verdict) => boolean, write: FieldWriter): FieldWriter {
  const isTold = ({ verdict }: HeaderItem): boolean => isEnforced(verdict) && canTell(verdict);
  return (fields, items) => {
    const told = items.every(isTold) ? items : items.filter(isTold);
    if (told.length > 0) write(fields, told);
  };
}

/** Which header fields a policy sends. */
export interface HeaderFieldOptions {
  /** Default true: the newest revision known, draft 11. */
  readonly standardHeaders?: boolean | HeaderDraft | undefined;
  /** Default true: `X-RateLimit-Limit`, `-Remaining` and `-Reset`, in seconds from now. Or other names. */
  readonly legacyHeaders?: boolean | LegacyHeaders | undefined;
  /** Whether refusals have `Retry-After`: default true. */
  readonly retryAfter?: boolean | undefined;
}

/**
 * The header fields that tell a client how it stands.
 *
 * @param items - one per limit, of all policies that have answered the request so far, in their order, with different names.
 * @returns new fields, by name; none if no item is to be advertised.
 */
export type HeaderFields = (items: readonly HeaderItem[]) => Record<string, string>;

/**
 * How a policy's options want the header fields. In none of them are limits that are unlimited or not enforced, or whose unit the
 * fields have no word for. Fields with room for one limit tell of the tightest that counts requests.
 *
 * @param clock - the store's. Times of day that clients compare with their own are `Date`'s where it is the system's monotonic one,
 * which does not follow the system's time.
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const fieldsOf = headerFields({ standardHeaders: 'draft-7', legacyHeaders: false });
 * const item = { name: verdict.name, verdict };
 * fieldsOf([item]); // { 'RateLimit-Policy': '100;w=60', RateLimit: 'limit=100, remaining=99, reset=60' }
 */
export function headerFields(options: HeaderFieldOptions = {}, clock: Clock = systemClock): HeaderFields {
  const { standardHeaders = true } = options;
  checkOneOf(standardHeaders, 'standardHeaders', [true, false, ...Object.keys(DRAFTS)]);
  const legacy = legacyFieldsOf(options.legacyHeaders);
  checkApart(options, legacy);
  const writers: FieldWriter[] = [];
  if (standardHeaders) writers.push(DRAFTS[standardHeaders === true ? 'draft-11' : standardHeaders]);
  if (legacy.limit || legacy.remaining || legacy.reset)
    writers.push(ofThose(countsRequests, legacyWriter(legacy, clock === systemClock ? wallClock : clock)));
  return (items) => {
    const fields: Record<string, string> = {};
    for (const write of writers) write(fields, items);
    return fields;
  };
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

function draftNamesOf({ standardHeaders = true }: HeaderFieldOptions): readonly string[] {
  if (!standardHeaders) return [];
  return DRAFT_NAMES[standardHeaders === true ? 'draft-11' : standardHeaders];
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
