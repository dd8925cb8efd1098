// Why it is so: core/docs/why/fields-and-refusals.md

import type { Resolvable } from '@sluice/core/src/limiter/policy/options';
import { isRecord } from '@sluice/core/src/values/check-object';
import type { Decision } from '@sluice/core/src/values/decision';
import { optionError } from '@sluice/core/src/values/error';
import { type Eventual, whenReady } from '@sluice/core/src/values/eventual';
import { warn } from '@sluice/core/src/values/warning';
import { FRAMING_FIELDS, isFieldName, isFieldValue } from './field-name.js';
import { type HeaderFieldOptions, ownFieldNames } from './field-options.js';

/** Additional header fields by name. A field that is undefined is not sent. */
export type ExtraHeaders = Readonly<Record<string, string | number | undefined>>;

interface ExtraHeadersOption<A extends readonly unknown[]> {
  readonly extraHeaders?: Resolvable<[...A, decision: Decision], ExtraHeaders | undefined>;
}

/** Warns, once per policy, about an additional field that was left out. */
class FieldWatch {
  #isDone = false;

  leftOut(name: string, reason: string): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const shown = JSON.stringify(name.slice(0, 60));
    warn('SLUICE_FIELD_LEFT_OUT', `extraHeaders returned a field that was left out: ${shown} ${reason}`);
  }
}

/** Returns the additional fields of the response to one request. */
export type ExtraHeadersOf<A extends readonly unknown[]> = (
  args: A,
  decision: Decision,
) => Eventual<Readonly<Record<string, string>>>;

/**
 * Returns the function that makes the fields of `extraHeaders`; undefined if there are none.
 *
 * A record is checked once, here. The result of a function may contain data from a request. Fields of it that cannot be
 * sent, or that would replace a field of Sluice, are left out with one warning per policy.
 *
 * @throws SluiceError `SLUICE_OPTION` if it is neither a record nor a function, or a field of a record cannot be sent
 */
export function extraHeadersOf<A extends readonly unknown[]>(
  options: HeaderFieldOptions & ExtraHeadersOption<A>,
): ExtraHeadersOf<A> | undefined {
  const { extraHeaders } = options;
  if (extraHeaders === undefined) return undefined;
  const own = ownFieldNames(options);
  if (typeof extraHeaders !== 'function') {
    const fields = sendable(checkRecord(extraHeaders, 'extraHeaders'), own, (name, reason, value) => {
      throw optionError(`extraHeaders[${JSON.stringify(name)}]`, reason, value);
    });
    return () => fields;
  }
  const watch = new FieldWatch();
  const leaveOut = (name: string, reason: string): void => watch.leftOut(name, reason);
  return (args, decision) =>
    whenReady(extraHeaders(...args, decision), (answered) =>
      sendable(checkRecord(answered ?? {}, 'extraHeaders()'), own, leaveOut),
    );
}

function checkRecord(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw optionError(path, "must be a record of header fields, such as { 'X-Plan': 'free' }", value);
}

/** Uses entries, so that `__proto__` is a name like any other. */
function sendable(
  fields: Readonly<Record<string, unknown>>,
  own: ReadonlySet<string>,
  refuse: (name: string, reason: string, value: unknown) => void,
): Readonly<Record<string, string>> {
  const entries: [name: string, value: string][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const reason = faultOf(name, value, own);
    if (reason === undefined) entries.push([name, String(value)]);
    else refuse(name, reason, value);
  }
  return Object.fromEntries(entries);
}

function faultOf(name: string, value: unknown, own: ReadonlySet<string>): string | undefined {
  if (!isFieldName(name)) return 'must have the name of a header field';
  const field = name.toLowerCase();
  if (FRAMING_FIELDS.has(field)) return 'is a field that frameworks and servers set';
  if (own.has(field)) return 'is a field that Sluice sends: switch it off, or choose another name';
  const isText = typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
  return isText && isFieldValue(String(value)) ? undefined : 'must be ASCII text without line breaks, or a number';
}
