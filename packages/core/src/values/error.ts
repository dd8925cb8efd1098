/**
 * What went wrong, in a form that programs can test:
 *
 * - `SLUICE_OPTION`: an option is unknown or its value breaks a rule; `path` names it.
 * - `SLUICE_DUPLICATE_NAME`: two policies on one store, or on two stores that count in one place, or two limits of one policy,
 *   share a name.
 * - `SLUICE_KEY`: there is no key to count by, or it is not text, a finite number or a list of those.
 * - `SLUICE_COST`: a cost or a settled amount is not a safe integer of at least 0.
 * - `SLUICE_UNSUPPORTED`: this policy cannot be asked in this way (a concurrency limit wants `reserve` or `wait`).
 * - `SLUICE_STORE`: the store could not answer, or answered too late.
 * - `SLUICE_CLOSED`: the store was closed.
 */
export type SluiceErrorCode =
  | 'SLUICE_OPTION'
  | 'SLUICE_DUPLICATE_NAME'
  | 'SLUICE_KEY'
  | 'SLUICE_COST'
  | 'SLUICE_UNSUPPORTED'
  | 'SLUICE_STORE'
  | 'SLUICE_CLOSED';

/** Codes of the process warnings that Sluice gives, each once per policy or store. Their cures: `docs/errors.md`. */
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
  | 'SLUICE_STORE_FAILING'
  | 'SLUICE_REDIS_EVICTS'
  | 'SLUICE_NO_GUARD';

/** The one error class of Sluice; tell errors apart by `code`, never by message. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  readonly code: SluiceErrorCode;
  /** The option at fault, as one would write it: `limits[1].window`. */
  readonly path?: string;
  /** The value that was refused. */
  readonly received?: unknown;
  /** Of a store that refused a question as too late: the store's time of that refusal. */
  readonly atMs?: number;

  constructor(
    code: SluiceErrorCode,
    message: string,
    details: { path?: string; received?: unknown; cause?: unknown; atMs?: number } = {},
  ) {
    super(`${message} (${code})`, 'cause' in details ? { cause: details.cause } : {});
    this.code = code;
    if (details.path !== undefined) this.path = details.path;
    if (details.atMs !== undefined) this.atMs = details.atMs;
    if ('received' in details) this.received = details.received;
  }
}

/** Errors that are mistakes of the program. They are no failure of the store, and no policy hides them. */
export function isMistake(error: unknown): boolean {
  return error instanceof SluiceError && error.code !== 'SLUICE_STORE';
}

/** The error for an option that breaks a rule: `limits[1].window must be a duration of at least 1 ms, got 0`. */
export function optionError(path: string, rule: string, received: unknown): SluiceError {
  return new SluiceError('SLUICE_OPTION', `${path} ${rule}, got ${show(received)}`, { path, received });
}

/** A value as a reader recognises it, short enough for a message, whatever it is. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value);
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
