import { helpOf, SITE } from './site.js';

/**
 * The kind of an error, for programs to test:
 *
 * - `SLUICE_OPTION`: an option is unknown, or its value breaks a rule. `path` names the option.
 * - `SLUICE_DUPLICATE_NAME`: two limits of one policy have the same name, or two policies have it on one store or on
 *   two stores that share their counters.
 * - `SLUICE_KEY`: the key is missing, or is not text, a finite number or a list of those.
 * - `SLUICE_COST`: a cost or a settled amount is not a safe integer of at least 0.
 * - `SLUICE_UNSUPPORTED`: the policy or the store does not support this call (a concurrency limit needs `reserve` or
 *   `wait`).
 * - `SLUICE_FULL`: there is no room for another block that is set by hand.
 * - `SLUICE_STORE`: the store failed, or answered too late.
 * - `SLUICE_CLOSED`: the store or the line is closed.
 * - `SLUICE_REFUSED`: a line has no place for this work, or its turn would come too late; or a client did not send a
 *   request for that reason. `retryAfterMs` says when to come again.
 * - `SLUICE_UNAVAILABLE`: a client did not send a request, because the server does not answer, or refuses most requests.
 *   `retryAfterMs` says when to come again.
 * - `SLUICE_LLM_CALL`: the body of a request is no call of a language model, or a field of it is wrong, or nothing says what
 *   its model costs. `path` names the field.
 * - `SLUICE_POLICY_FILE`: a policy file has mistakes. The message lists all of them with their lines.
 * - `SLUICE_SOURCE`: the source of policies (a file, Redis, a server) has no text, or cannot be read.
 */
export type SluiceErrorCode =
  | 'SLUICE_OPTION'
  | 'SLUICE_DUPLICATE_NAME'
  | 'SLUICE_KEY'
  | 'SLUICE_COST'
  | 'SLUICE_UNSUPPORTED'
  | 'SLUICE_FULL'
  | 'SLUICE_STORE'
  | 'SLUICE_CLOSED'
  | 'SLUICE_REFUSED'
  | 'SLUICE_UNAVAILABLE'
  | 'SLUICE_LLM_CALL'
  | 'SLUICE_POLICY_FILE'
  | 'SLUICE_SOURCE';

/**
 * The codes of process warnings. Each warning is given once per policy or store. `docs/errors.md` explains each one.
 */
export type SluiceWarningCode =
  | 'SLUICE_PROXY_UNTRUSTED'
  | 'SLUICE_PROXY_TRUSTS_ALL'
  | 'SLUICE_FORWARDED_UNREAD'
  | 'SLUICE_KEY_ABSENT'
  | 'SLUICE_KEY_IPV6'
  | 'SLUICE_HOOK_FAILED'
  | 'SLUICE_FIELD_LEFT_OUT'
  | 'SLUICE_LIMITER_IN_HANDLER'
  | 'SLUICE_COUNTED_TWICE'
  | 'SLUICE_LIMIT_ZERO'
  | 'SLUICE_WINDOW_SHORT'
  | 'SLUICE_TOTAL_EXCEEDED'
  | 'SLUICE_STORE_FAILING'
  | 'SLUICE_CONTROLS'
  | 'SLUICE_REDIS_EVICTS'
  | 'SLUICE_SNAPSHOT_UNREAD'
  | 'SLUICE_NAME_SHARED'
  | 'SLUICE_NO_GUARD'
  | 'SLUICE_LLM_USAGE'
  | 'SLUICE_LLM_MAX_OUTPUT'
  | 'SLUICE_LLM_UNRECOGNIZED';

/** Longer text is a body or a file, and not an option. */
const LONGEST_RECEIVED = 256;

/** Marks the errors of every copy of this package in a process, such as one imported and one required. */
const IS_SLUICE_ERROR = Symbol.for('sluice.error');

/**
 * The class of all errors that Sluice throws. Test the `code`, not the message: messages may change. `instanceof` also holds for an
 * error of another copy of this package in the process.
 *
 * Its optional members are only declared: a field of a class would be there, with the value undefined, and logs would show it.
 */
export class SluiceError extends Error {
  /** Always `SluiceError`, also for subclasses: tell errors apart by `code`. */
  override readonly name = 'SluiceError';
  /** What kind of error it is. */
  readonly code: SluiceErrorCode;
  /** The address of the page that explains the code. Absent as long as the site has no address. */
  declare readonly help?: string;
  /** The option that is wrong, as you would write it: `limits[1].window`. */
  declare readonly path?: string;
  /**
   * The value that was refused, if it is a text of at most 256 characters, a number, or another primitive value. Objects and
   * functions are not kept: a whole request could be among them, with its credentials. Logs do not show it, because it is not
   * enumerable.
   */
  declare readonly received?: string | number | bigint | boolean | symbol | null | undefined;
  /** With `SLUICE_REFUSED` and `SLUICE_UNAVAILABLE`: milliseconds until it makes sense to come again; `'never'` if it does not. */
  declare readonly retryAfterMs?: number | 'never';
  /** The time of the store, in milliseconds, at which it refused a call that came too late. */
  declare readonly atMs?: number;
  /**
   * With `SLUICE_STORE`: `'timeout'` if the store did not answer in time, `'unavailable'` if it was not asked because it had
   * failed before.
   */
  declare readonly storeFailure?: 'timeout' | 'unavailable';

  constructor(
    code: SluiceErrorCode,
    message: string,
    details: {
      path?: string;
      received?: unknown;
      cause?: unknown;
      atMs?: number;
      retryAfterMs?: number | 'never';
      storeFailure?: 'timeout' | 'unavailable';
    } = {},
  ) {
    super(`${message} (${code})`, 'cause' in details ? { cause: details.cause } : {});
    this.code = code;
    if (SITE) this.help = helpOf(code);
    if (details.path !== undefined) this.path = details.path;
    if (details.atMs !== undefined) this.atMs = details.atMs;
    if (details.storeFailure !== undefined) this.storeFailure = details.storeFailure;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if ('received' in details && isKept(details.received)) {
      Object.defineProperty(this, 'received', { value: details.received, configurable: true });
    }
  }

  // No member of the type: the two formats have types of their own, which would not fit each other.
  static {
    Object.defineProperty(SluiceError.prototype, IS_SLUICE_ERROR, { value: true });
  }

  /** Whether a value is an error of this class in any copy of this package. A class that extends this one has its own errors alone. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: it is called for each class that extends this one.
    if (this !== SluiceError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && IS_SLUICE_ERROR in value;
  }
}

function isKept(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= LONGEST_RECEIVED;
  return value === null || (typeof value !== 'object' && typeof value !== 'function');
}

/**
 * Whether an error is a mistake in the program, such as a wrong option. Such an error is not a failure of the store, so
 * `onStoreError` never hides it.
 */
export function isMistake(error: unknown): boolean {
  return error instanceof SluiceError && error.code !== 'SLUICE_STORE';
}

/**
 * Creates the error for an option that breaks a rule: `limits[1].window must be a duration of at least 1 ms, got 0`.
 */
export function optionError(path: string, rule: string, received: unknown): SluiceError {
  return new SluiceError('SLUICE_OPTION', `${path} ${rule}, got ${show(received)}`, { path, received });
}

const CODE_AT_END = / \(SLUICE_[A-Z_]+\)$/;

/**
 * Returns what an error says, to be quoted in another message: an error of Sluice has its code at the end, which is left out.
 * Anything can be thrown, also a value that has no text.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message.replace(CODE_AT_END, '');
  return typeof error === 'string' ? error : show(error);
}

/** Describes any value for an error message, in at most about 60 characters. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value);
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
