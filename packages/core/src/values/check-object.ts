import { optionError } from './error.js';

/**
 * Checks that a value can be read as options, before it is spread: a list would spread into numbers, and undefined into
 * nothing.
 *
 * @param path - the path of the value
 * @param example - what to write instead
 * @throws SluiceError `SLUICE_OPTION`
 * @example checkObject(policies, 'policies', "{ login: { limit: 5, window: '15m' } }");
 */
export function checkObject(
  value: unknown,
  path: string,
  example = "{ limit: 100, window: '1m' }, or { limits: [...] } for several limits",
): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw optionError(path, `must be an object such as ${example}`, value);
}

/** Whether a value has its entries as properties. The items of a list, a Map or Headers are not properties. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value);
}
