import { optionError } from '@sluice/core/src/values/error';

/** A token of RFC 9110 section 5.6.2, as in the name of a field. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The characters of a field value: RFC 9110 section 5.5. How Node encodes other characters depends on the body. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** Fields about the framing, the content or the connection of a message. A policy must never set them. */
const FRAMING = [
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'cache-control', 'keep-alive'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
  // A message of HTTP/2 with one of these is malformed, and Node does not send it.
  ...['proxy-connection', 'http2-settings'],
];

/** The names, in lower case, that additional fields must not have. */
export const FRAMING_FIELDS: ReadonlySet<string> = new Set(FRAMING);

/**
 * Checks the name of an additional field.
 *
 * @param taken - the names, in lower case, of other fields; this one is added
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkFieldName(name: unknown, path: string, taken: Set<string>): string {
  if (!isFieldName(name)) throw optionError(path, 'must be the name of a header field, or false', name);
  const field = name.toLowerCase();
  if (FRAMING_FIELDS.has(field)) throw optionError(path, 'is a field that frameworks and servers set', name);
  if (taken.has(field)) throw optionError(path, 'is already the name of another field', name);
  taken.add(field);
  return name;
}

/** Whether a field can have this name. */
export function isFieldName(name: unknown): name is string {
  return typeof name === 'string' && TOKEN.test(name);
}

/** Whether a text can be sent as the value of a field. */
export function isFieldValue(value: string): boolean {
  return VALUE.test(value);
}
