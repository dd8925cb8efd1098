import type { Verdict } from '../decision.js';
import { checkOneOf } from '../option-checks.js';
import { writeDraft6 } from './header-fields/draft-6.js';
import { writeDraft7 } from './header-fields/draft-7.js';
import { writeDraft11 } from './header-fields/draft-11.js';
import type { FieldWriter } from './header-fields/field-writer.js';
import { type HeaderItem, isEnforced } from './header-fields/header-item.js';
import { writeLegacy } from './header-fields/legacy.js';
import { countsRequests, hasRegisteredUnit } from './header-fields/quota-unit.js';

export type { HeaderItem } from './header-fields/header-item.js';
export { retryAfterSeconds } from './header-fields/retry-after.js';
export { uniqueName } from './header-fields/unique-name.js';

/** Revisions of draft-ietf-httpapi-ratelimit-headers whose fields can be sent. */
export type HeaderDraft = 'draft-11' | 'draft-8' | 'draft-7' | 'draft-6';

/** Drafts 6 and 7, and the legacy fields, have no word for a unit: they are about requests. */
const DRAFTS: Readonly<Record<HeaderDraft, FieldWriter>> = {
  'draft-11': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-8': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-7': ofThose(countsRequests, writeDraft7),
  'draft-6': ofThose(countsRequests, writeDraft6),
};

const LEGACY = ofThose(countsRequests, writeLegacy);

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
  /** Default true: `X-RateLimit-Limit`, `-Remaining` and `-Reset`, in seconds from now. */
  readonly legacyHeaders?: boolean | undefined;
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
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const fieldsOf = headerFields({ standardHeaders: 'draft-7', legacyHeaders: false });
 * const item = { name: verdict.name, verdict };
 * fieldsOf([item]); // { 'RateLimit-Policy': '100;w=60', RateLimit: 'limit=100, remaining=99, reset=60' }
 */
export function headerFields(options: HeaderFieldOptions = {}): HeaderFields {
  const { standardHeaders = true, legacyHeaders = true } = options;
  checkOneOf(standardHeaders, 'standardHeaders', [true, false, ...Object.keys(DRAFTS)]);
  checkOneOf(legacyHeaders, 'legacyHeaders', [true, false]);
  const writers: FieldWriter[] = [];
  if (standardHeaders) writers.push(DRAFTS[standardHeaders === true ? 'draft-11' : standardHeaders]);
  if (legacyHeaders) writers.push(LEGACY);
  return (items) => {
    const fields: Record<string, string> = {};
    for (const write of writers) write(fields, items);
    return fields;
  };
}
