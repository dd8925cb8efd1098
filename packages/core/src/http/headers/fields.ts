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
  isAdvertised,
  tightestOf,
} from './item.js';
import { writeDraft6, writeDraft7 } from './older-drafts.js';

/**
 * Makes the header fields that tell a client its quota.
 *
 * @param items - one per limit, of all policies so far, in their order, with different names
 * @returns a new record of fields by name; empty if no item is advertised
 */
export type HeaderFields = (items: readonly HeaderItem[]) => Record<string, string>;

/**
 * Returns the writer of the header fields that the options ask for. Limits that are unlimited or not enforced are in no
 * field, and neither are limits with a unit that the fields do not know. Fields for a single limit state the tightest
 * limit that counts requests.
 *
 * @param clock - the clock of the store. If it is the monotonic clock of the system, dates come from `Date` instead,
 * because clients compare them with their own time.
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
 *   absent if there is no window.
 * - `RateLimit`: `r`, required, the available quota; `t`, the effective window: the whole seconds within which the
 *   client can use no more than `r`.
 *
 * Draft 8 has the same fields, parameters and types, so this text is right for both. Its differences: `r` is optional,
 * `w` may be 0, and `t` is the time until the quota "resets", which should equal `Retry-After` if both are sent (draft
 * 11: `Retry-After` should not be earlier). Neither revision defines how to write the partition key `pk`, so it is not
 * sent.
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
 * Writes the fields that many clients have read for a long time, although no document defines them: limit, remaining
 * and reset of the tightest limit. The reset is absent if time does not bring the limit back.
 *
 * @param clock - the time of day, for a reset as a date
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

/** Drafts 6 and 7 and the legacy fields have no units: they are about requests. */
const DRAFTS: Readonly<Record<HeaderDraft, FieldWriter>> = {
  'draft-11': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-8': ofThose(hasRegisteredUnit, writeDraft11),
  'draft-7': ofThose(countsRequests, writeDraft7),
  'draft-6': ofThose(countsRequests, writeDraft6),
};

/** Writes only the items that the fields can state, if there are any. */
function ofThose(canState: (verdict: Verdict) => boolean, write: FieldWriter): FieldWriter {
  const isStated = ({ verdict }: HeaderItem): boolean => isAdvertised(verdict) && canState(verdict);
  return (fields, items) => {
    const stated = items.every(isStated) ? items : items.filter(isStated);
    if (stated.length > 0) write(fields, stated);
  };
}
