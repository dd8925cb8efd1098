import { optionError } from '../../values/error.js';

/** A token of RFC 9110 section 5.6.2, which the name of a field is. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What the text of a field is made of: RFC 9110 section 5.5. What Node makes of text above ASCII depends on the body. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** Fields that say where a message ends, what its content is or what becomes of its connection: never a policy's to set. */
const FRAMING = [
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'cache-control', 'keep-alive'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
  // A message of HTTP/2 that has one of these is malformed, and Node sends none.
  ...['proxy-connection', 'http2-settings'],
];

/** Names, in lower case, that no field of one's own may have. */
export const FRAMING_FIELDS: ReadonlySet<string> = new Set(FRAMING);

/**
 * A name for a field of one's own.
 *
 * @param taken - names, in lower case, that others have; it joins them.
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkFieldName(name: unknown, path: string, taken: Set<string>): string {
  if (!isFieldName(name)) throw optionError(path, 'must be the name of a header field, or false', name);
  const field = name.toLowerCase();
  if (FRAMING_FIELDS.has(field)) throw optionError(path, 'is a field that frameworks and servers set', name);
  if (taken.has(field)) throw optionError(path, 'is the name of another field already', name);
  taken.add(field);
  return name;
}

/** Whether a field can be called so. */
export function isFieldName(name: unknown): name is string {
  return typeof name === 'string' && TOKEN.test(name);
}

/** Whether a text can be sent as a field's value. */
export function isFieldValue(value: string): boolean {
  return VALUE.test(value);
}
