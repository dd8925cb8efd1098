import { checkOneOf } from '../option-checks.js';
import { writeDraft6 } from './header-fields/draft-6.js';
import { writeDraft7 } from './header-fields/draft-7.js';
import { writeDraft11 } from './header-fields/draft-11.js';
import type { FieldWriter } from './header-fields/field-writer.js';
import { type HeaderItem, isAdvertised } from './header-fields/header-item.js';
import { writeLegacy } from './header-fields/legacy.js';

export type { HeaderItem } from './header-fields/header-item.js';
export { retryAfterSeconds } from './header-fields/retry-after.js';
export { uniqueName } from './header-fields/unique-name.js';

/** Revisions of draft-ietf-httpapi-ratelimit-headers whose fields can be sent. */
export type HeaderDraft = 'draft-11' | 'draft-8' | 'draft-7' | 'draft-6';

const DRAFTS: Readonly<Record<HeaderDraft, FieldWriter>> = {
  'draft-11': writeDraft11,
  'draft-8': writeDraft11,
  'draft-7': writeDraft7,
  'draft-6': writeDraft6,
};

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
 * @param tightest - the one of them that matters most, chosen among those that are enforced, if any is. Fields with room for
 *   one limit tell of it.
 * @returns new fields, by name; none if no item is to be advertised.
 */
export type HeaderFields = (items: readonly HeaderItem[], tightest: HeaderItem) => Record<string, string>;

/**
 * How a policy's options want the header fields. Limits that are unlimited or not enforced are in none of them.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const fieldsOf = headerFields({ standardHeaders: 'draft-7', legacyHeaders: false });
 * const item = { name: verdict.name, verdict };
 * fieldsOf([item], item); // { 'RateLimit-Policy': '100;w=60', RateLimit: 'limit=100, remaining=99, reset=60' }
 */
export function headerFields(options: HeaderFieldOptions = {}): HeaderFields {
  const { standardHeaders = true, legacyHeaders = true } = options;
  checkOneOf(standardHeaders, 'standardHeaders', [true, false, ...Object.keys(DRAFTS)]);
  checkOneOf(legacyHeaders, 'legacyHeaders', [true, false]);
  const writers: FieldWriter[] = [];
  if (standardHeaders) writers.push(DRAFTS[standardHeaders === true ? 'draft-11' : standardHeaders]);
  if (legacyHeaders) writers.push(writeLegacy);
  return (items, tightest) => {
    const fields: Record<string, string> = {};
    const advertised = items.every(isItemAdvertised) ? items : items.filter(isItemAdvertised);
    if (advertised.length === 0) return fields;
    for (const write of writers) write(fields, advertised, tightest);
    return fields;
  };
}

const isItemAdvertised = ({ verdict }: HeaderItem): boolean => isAdvertised(verdict);
