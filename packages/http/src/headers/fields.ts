// Why it is so: core/docs/why/fields-and-refusals.md

import { isTighter } from '@sluice/core/src/limiter/decision-builder';
import { type Clock, systemClock, wallClock } from '@sluice/core/src/values/clock';
import type { SetField, WritableFields } from '../node/response-fields.js';
import {
  type HeaderDraft,
  type HeaderFieldOptions,
  type LegacyFields,
  retryAfterNames,
  sentFields,
} from './field-options.js';
import type { FieldWriter, FieldWriterOf } from './field-writer.js';
import type { HeaderItem } from './item.js';
import { draft6Writer, draft7Writer } from './older-drafts.js';
import { epochSecondsOf, type StatedLimit, statedLimit } from './stated-limit.js';

/**
 * The header fields that tell a client its quota. They are written straight to a response, from the numbers of the
 * verdicts: a record of them would be an object more for each request.
 */
export class HeaderFields implements WritableFields<readonly HeaderItem[]> {
  readonly #writers: readonly FieldWriter[];
  readonly #waitNames: readonly string[];

  /**
   * All items are advertised: see `isAdvertised`. Limits with a unit that the fields do not know are in no field. Fields for a single
   * limit state the tightest limit that counts requests.
   *
   * @param clock - the clock of the store. If it is the monotonic clock of the system, dates come from `Date` instead,
   * because clients compare them with their own time.
   * @param named - returns the name of a field as the response wants it
   * @throws SluiceError `SLUICE_OPTION`
   * @example
   * const fields = new HeaderFields({ standardHeaders: 'draft-7', legacyHeaders: false });
   * fields.record([verdict]); // { 'RateLimit-Policy': '100;w=60', RateLimit: 'limit=100, remaining=99, reset=60' }
   */
  constructor(options: HeaderFieldOptions = {}, clock: Clock = systemClock, named: (name: string) => string = asItIs) {
    const { draft, legacy } = sentFields(options);
    const writers = draft ? [DRAFTS[draft](named)] : [];
    if (legacy.limit || legacy.remaining || legacy.reset)
      writers.push(legacyWriter(legacy, clock === systemClock ? wallClock : clock)(named));
    this.#writers = writers;
    this.#waitNames = retryAfterNames(options).map(named);
  }

  /**
   * Writes the fields to a target, by the method of it that sets one field.
   *
   * @param waitSeconds - of a refusal: how long to wait; undefined if nothing is to be said about it
   */
  write<T extends object>(target: T, set: SetField<T>, items: readonly HeaderItem[], waitSeconds?: number): void {
    if (items.length > 0 && this.#writers.length > 0) {
      const limits = items.map(statedLimit);
      const tightest = tightestOf(limits);
      for (const writer of this.#writers) writer.write(target, set, limits, tightest);
    }
    if (waitSeconds === undefined) return;
    for (const name of this.#waitNames) set.call(target, name, String(waitSeconds));
  }

  /** Returns the fields as a new record; an empty one if there are no items. */
  record(items: readonly HeaderItem[], waitSeconds?: number): Record<string, string> {
    const fields: Record<string, string> = {};
    this.write(fields, setIn, items, waitSeconds);
    return fields;
  }

  /** Returns the fields as names and values in turn, as Node's `rawHeaders` and `writeHead` have them. It is sooner made than a record. */
  raw(items: readonly HeaderItem[], waitSeconds?: number): string[] {
    const fields: string[] = [];
    this.write(fields, pushField, items, waitSeconds);
    return fields;
  }

  /** Returns the names of the fields that are written for these items. */
  namesFor(items: readonly HeaderItem[]): readonly string[] {
    const names: string[] = [];
    this.write(names, pushName, items);
    return names;
  }
}

/** Returns the limit that counts requests and is the closest to being reached. */
function tightestOf(limits: readonly StatedLimit[]): StatedLimit | undefined {
  let tightest: StatedLimit | undefined;
  for (const limit of limits) {
    if (!limit.text.countsRequests) continue;
    if (tightest === undefined || isTighter(limit.item, tightest.item)) tightest = limit;
  }
  return tightest;
}

function pushName(this: string[], name: string): void {
  this.push(name);
}

function pushField(this: string[], name: string, value: string): void {
  this.push(name, value);
}

const asItIs = (name: string): string => name;

function setIn(this: Record<string, string>, name: string, value: string): void {
  this[name] = value;
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
const draft11Writer: FieldWriterOf = (named) => {
  const policy = named('RateLimit-Policy');
  const limit = named('RateLimit');
  return {
    write(target, set, limits) {
      let policies = '';
      let quotas = '';
      for (const { text, available, seconds } of limits) {
        if (!text.isRegistered) continue;
        const separator = policies === '' ? '' : ',';
        policies += separator + text.policy;
        quotas += `${separator}${text.available}${available}`;
        if (seconds !== undefined) quotas += `;t=${seconds}`;
      }
      if (policies === '') return;
      set.call(target, policy, policies);
      set.call(target, limit, quotas);
    },
  };
};

/**
 * Returns the writer of the fields that many clients have read for a long time, although no document defines them:
 * limit, remaining and reset of the tightest limit. The reset is absent if time does not bring the limit back.
 *
 * @param clock - the time of day, for a reset as a date
 */
function legacyWriter(fields: LegacyFields, clock: Pick<Clock, 'now'>): FieldWriterOf {
  return (named) => {
    const [limit, remaining, reset] = [fields.limit, fields.remaining, fields.reset].map((name) => name && named(name));
    const isEpoch = fields.resetAs === 'epoch';
    return {
      write(target, set, _limits, tightest) {
        if (!tightest) return;
        const { text, available } = tightest;
        if (limit) set.call(target, limit, text.quota);
        if (remaining) set.call(target, remaining, String(available));
        if (!reset) return;
        const seconds = isEpoch ? epochSecondsOf(tightest, clock.now()) : tightest.seconds;
        if (seconds !== undefined) set.call(target, reset, String(seconds));
      },
    };
  };
}

const DRAFTS: Readonly<Record<HeaderDraft, FieldWriterOf>> = {
  'draft-11': draft11Writer,
  'draft-8': draft11Writer,
  'draft-7': draft7Writer,
  'draft-6': draft6Writer,
};
