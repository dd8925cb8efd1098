import { optionError, SluiceError, show } from './error.js';
import { type OptionPlace, suggestionFor, suggestionOfLiveObject } from './option-suggestions.js';

/** Returns the path of an option: `at('limits[1]', 'window')` is `limits[1].window`. */
export function at(path: string, option: string): string {
  return path === '' ? option : `${path}.${option}`;
}

/**
 * Checks that the options are a plain object with known options only.
 *
 * @param place - the page that explains the known ones, and what is suggested there
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkOptions(options: unknown, known: readonly string[], path = '', place?: OptionPlace): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw optionError(path || 'options', 'must be an object', options);
  }
  const suggestion = suggestionOfLiveObject(options, known);
  if (suggestion) throw optionError(path || 'options', `must be an object of options, ${suggestion}`, options);
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option)) continue;
    const where = at(path, option);
    throw new SluiceError(
      'SLUICE_OPTION',
      `${where} is not an option: ${suggestionFor(option, known, place)}, got ${show(value)}`,
      {
        path: where,
        received: value,
      },
    );
  }
}

/**
 * Returns the value if it is a safe integer from `least` to `most`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkWhole(value: unknown, path: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most && !Object.is(value, -0)) {
    return value as number;
  }
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw optionError(path, `must be a whole number ${range}`, value);
}

/**
 * Returns the value if it is a number from 0 to 1.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkFraction(value: unknown, path: string): number {
  if (isFraction(value)) return value;
  throw optionError(path, 'must be a number from 0 to 1', value);
}

/** Whether the value is a number from 0 to 1. */
export function isFraction(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/**
 * Returns the value if it is one of the choices.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkOneOf<T>(value: unknown, path: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw optionError(path, `must be one of ${choices.map((choice) => show(choice)).join(', ')}`, value);
  return found;
}

/**
 * Checks that the value is a function.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkFunction(value: unknown, path: string): void {
  if (typeof value !== 'function') throw optionError(path, 'must be a function', value);
}

/**
 * Checks that the value, if there is one, is an AbortSignal: of this realm, of another one, or made by a library.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkSignal(value: unknown, path: string): void {
  if (value === undefined) return;
  const signal = Object(value) as Partial<AbortSignal>;
  const canBeObserved =
    typeof signal.addEventListener === 'function' && typeof signal.removeEventListener === 'function';
  if (canBeObserved && typeof signal.aborted === 'boolean') return;
  throw optionError(path, 'must be an AbortSignal, like the signal of an AbortController', value);
}

/**
 * Returns the value if it is a valid name of a policy or limit. Header fields carry it as an RFC 9651 String, so it has
 * printable ASCII only.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkName(value: unknown, path: string): string {
  if (typeof value === 'string' && /^[\x20-\x7e]{1,128}$/.test(value)) return value;
  throw optionError(path, 'must be 1 to 128 printable ASCII characters', value);
}
