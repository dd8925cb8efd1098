// The assertions of the suites. They need nothing of a runtime, so that the suites run in a Worker, too. They compare as those of
// `node:assert/strict` do, and fail with an error that test frameworks show in the same way.

/** What a failed assertion throws. Test frameworks know it by its name, and show how the two values differ. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
  readonly code = 'ERR_ASSERTION';
  readonly generatedMessage = false;

  constructor(
    message: string,
    readonly operator: string,
    readonly actual?: unknown,
    readonly expected?: unknown,
  ) {
    super(message);
  }
}

/** @throws AssertionError if the value is falsy */
export function ok(value: unknown, what: string): asserts value {
  if (!value) throw new AssertionError(what, '==', value, true);
}

/** @throws AssertionError unless both are the same value: `NaN` is `NaN`, and 0 is not -0 */
export function equal(actual: unknown, expected: unknown, what?: string): void {
  if (!Object.is(actual, expected)) throw differing('strictEqual', actual, expected, what);
}

/** @throws AssertionError if both are the same value */
export function notEqual(actual: unknown, unexpected: unknown, what?: string): void {
  if (Object.is(actual, unexpected)) throw differing('notStrictEqual', actual, unexpected, what);
}

/** @throws AssertionError unless both are of the same values, however deep: a property that is undefined is not one that is missing */
export function deepEqual(actual: unknown, expected: unknown, what?: string): void {
  if (!isDeepEqual(actual, expected)) throw differing('deepStrictEqual', actual, expected, what);
}

/** @throws AssertionError if both are of the same values */
export function notDeepEqual(actual: unknown, unexpected: unknown, what?: string): void {
  if (isDeepEqual(actual, unexpected)) throw differing('notDeepStrictEqual', actual, unexpected, what);
}

/** @throws AssertionError always */
export function fail(what: string): never {
  throw new AssertionError(what, 'fail');
}

function differing(operator: string, actual: unknown, expected: unknown, what?: string): AssertionError {
  const not = operator.startsWith('not') ? 'not ' : '';
  const difference = `expected ${not}${shown(expected)}, got ${shown(actual)}`;
  return new AssertionError(what === undefined ? difference : `${what}: ${difference}`, operator, actual, expected);
}

/** Objects that are told apart by their properties alone. All others are equal only to themselves. */
const PLAIN = ['[object Object]', '[object Array]'];

function isDeepEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other) || !isAlike(one, other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isDeepEqual(one[name], other[name]))
  );
}

type Properties = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Properties => typeof value === 'object' && value !== null;

function isAlike(one: Properties, other: Properties): boolean {
  const tag = Object.prototype.toString.call(one);
  return (
    PLAIN.includes(tag) &&
    tag === Object.prototype.toString.call(other) &&
    Object.getPrototypeOf(one) === Object.getPrototypeOf(other)
  );
}

/** As in a program: JSON, with what JSON has no word for. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (!isObject(value) || !PLAIN.includes(Object.prototype.toString.call(value))) return String(value);
  const properties = Object.entries(value).map(([name, own]) => `${JSON.stringify(name)}: ${shown(own)}`);
  return properties.length === 0 ? '{}' : `{ ${properties.join(', ')} }`;
}
