import { type Clock, systemClock, wallClock } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import { type HeaderDraft, type HeaderFieldOptions, type LegacyFields, sentFields } from './field-options.js';
import {
  availableUnits,
  constantText,
  countsRequests,
  effectiveSeconds,
  type FieldWriter,
  type HeaderItem,
  hasRegisteredUnit,
  isEnforced,
  tightestOf,
} from './item.js';
import { writeDraft6, writeDraft7 } from './older-drafts.js';

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
  const { draft, legacy } = sentFields(options);
  const writers: FieldWriter[] = [];
  if (draft) writers.push(DRAFTS[draft]);
  if (legacy.limit || legacy.remaining || legacy.reset)
    writers.push(ofThose(countsRequests, legacyWriter(legacy, clock === systemClock ? wallClock : clock)));
  return (items) => {
    const fields: Record<string, string> = {};
    for (const write of writers) write(fields, items);
    return fields;
  };
}

/**
 * draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4: `RateLimit-Policy` and `RateLimit` are Lists (RFC 9651)
 * with an Item per limit, a String with the limit's name.
 *
 * - `RateLimit-Policy`: `q`, required, the quota; `qu`, its unit, `"requests"` if absent; `w`, whole seconds above 0,
 *   absent where a window has none.
 * - `RateLimit`: `r`, required, the available quota; `t`, the effective window: the whole seconds within which the
 *   client can use no more than `r`.
 *
 * Draft 8 has the same fields, parameters and types, so this text is right for both. What it says otherwise: `r` is
 * optional there, `w` may be 0, `t` is the time until the quota "resets", and should be that of `Retry-After` where
 * both are sent (draft 11: `Retry-After` should be no earlier). Neither revision defines how to write what `pk`
 * divides, and no `pk` is sent.
 */
const writeDraft11: FieldWriter = (fields, items) => {
  let policies = '';
  let limits = '';
  for (const item of items) {
    const separator = policies === '' ? '' : ',';
    const text = constantText(item);
    policies += `${separator}${text.policy}`;
    limits += `${separator}${text.label};r=${availableUnits(item.verdict)}${effectiveWindow(item)}`;
  }
  fields['RateLimit-Policy'] = policies;
  fields.RateLimit = limits;
};

function effectiveWindow(item: HeaderItem): string {
  const seconds = effectiveSeconds(item);
  return seconds === undefined ? '' : `;t=${seconds}`;
}

/**
 * Writes the fields that many clients have read for long, though no document defines them: limit, remaining and reset of the
 * tightest limit. The reset is absent if no time brings the limit back.
 *
 * @param clock - the time of day, for a reset that is one.
 */
function legacyWriter({ limit, remaining, reset, resetAs }: LegacyFields, clock: Pick<Clock, 'now'>): FieldWriter {
  return (fields, items) => {
    const tightest = tightestOf(items);
    if (limit) fields[limit] = constantText(tightest).quota;
    if (remaining) fields[remaining] = String(availableUnits(tightest.verdict));
    const seconds = reset ? effectiveSeconds(tightest) : undefined;
    if (!reset || seconds === undefined) return;
    fields[reset] = String(resetAs === 'epoch' ? Math.ceil(clock.now() / 1000) + seconds : seconds);
  };
}

/** Drafts 6 and 7, and the legacy fields, have no word for a unit: they are about requests. */
const DRAFTS: Readonly<Record<HeaderDraft, FieldWriter>> = {
  'draft-11': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-8': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-7': ofThose(countsRequests, writeDraft7),
  'draft-6': ofThose(countsRequests, writeDraft6),
};

/** Writes of those items that it can tell of, if there are any. */
function ofThose(canTell: (verdict: Verdict) => boolean, write: FieldWriter): FieldWriter {
  const isTold = ({ verdict }: HeaderItem): boolean => isEnforced(verdict) && canTell(verdict);
  return (fields, items) => {
    const told = items.every(isTold) ? items : items.filter(isTold);
    if (told.length > 0) write(fields, told);
  };
}
