import { optionError } from '../values/error.js';

/**
 * Checks that a value can be read as options at all, before it is taken apart: a list spreads into numbers, nothing into
 * nothing.
 *
 * @param path - where the value stands.
 * @param example - what to write.
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
