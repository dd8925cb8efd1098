import type { Duration } from '@sluice/core';
import { checkName, checkOneOf, checkOptions, durationMs, optionError } from '@sluice/core/values';
import type { LocalLimits } from './local-limiter.js';

/** The options of `decisions`. */
export interface DecisionsOptions {
  /** Where the service listens: `'http://127.0.0.1:8080'`. A path goes before its own: `'https://gateway.example/limits'`. */
  url: string | URL;
  /** The name of the policy in the file of the service. */
  policy: string;
  /** A call token of the service, which it needs from callers beyond its own machine. Default: none. */
  token?: string;
  /** The longest time for a decision, repeats included: 1 ms to 10 s. Then `onStoreError` decides. Default: 100 ms. */
  deadline?: Duration;
  /**
   * Who decides if the service fails, or is too late. `'allow'` allows every request, and `'deny'` refuses every request with
   * 503. `'local'` counts in this process by the limits of `local`. Default: `'local'` if there is `local`, and otherwise
   * `'allow'`.
   */
  onStoreError?: 'allow' | 'deny' | 'local';
  /**
   * The limits for this process alone while the service fails: usually the limits of the policy, divided by the number of
   * processes. Without a `keyGenerator`, it counts by address. Concurrency limits are not possible.
   */
  local?: LocalLimits;
  /**
   * The names of the header fields that the service gets: those that the policy file reads, such as `'x-api-key'`. Default:
   * none. `cookie` and `authorization` are sent only if you name them.
   */
  headers?: readonly string[];
  /** How long a reservation can be settled: 1 s to 1 day. Its charge stays after that. Default: `'10m'`. */
  expires?: Duration;
}

/** Checked options. */
export interface CheckedOptions {
  readonly url: URL;
  readonly policy: string;
  readonly token: string | undefined;
  readonly deadlineMs: number;
  readonly onStoreError: 'allow' | 'deny' | 'local';
  readonly local: LocalLimits | undefined;
  /** In lower case. */
  readonly headers: readonly string[];
  readonly expiresMs: number | undefined;
}

const NAMES = ['url', 'policy', 'token', 'deadline', 'onStoreError', 'local', 'headers', 'expires'];

/** The service remembers operations for this long. A later repeat would be charged again. */
const LONGEST_DEADLINE_MS = 10_000;
const DAY_MS = 86_400_000;
const MOST_FIELDS = 32;

/** Checks the options of `decisions`. @throws SluiceError `SLUICE_OPTION` */
export function checkDecisionsOptions(options: DecisionsOptions): CheckedOptions {
  checkOptions(options, NAMES);
  const { policy, token, deadline = 100, local, headers = [], expires } = options;
  const onStoreError = options.onStoreError ?? (local === undefined ? 'allow' : 'local');
  checkOneOf(onStoreError, 'onStoreError', ['allow', 'deny', 'local']);
  if (onStoreError === 'local' && local === undefined) {
    throw optionError('local', "must be the limits of this process, because onStoreError is 'local'", local);
  }
  if (onStoreError !== 'local' && local !== undefined) {
    throw optionError('local', `must be absent, because onStoreError is '${onStoreError}'`, local);
  }
  return {
    url: urlOf(options.url),
    policy: checkName(policy, 'policy'),
    token: token === undefined ? undefined : checkToken(token),
    deadlineMs: between(deadline, 'deadline', 1, LONGEST_DEADLINE_MS, '10 s'),
    onStoreError,
    local,
    headers: fieldNames(headers),
    expiresMs: expires === undefined ? undefined : checkExpires(expires),
  };
}

/** Returns milliseconds. @throws SluiceError `SLUICE_OPTION` */
export function checkExpires(expires: Duration): number {
  return between(expires, 'expires', 1000, DAY_MS, '1 day');
}

function urlOf(value: unknown): URL {
  const isText = typeof value === 'string' || value instanceof URL;
  const url = isText && URL.canParse(String(value)) ? new URL(value) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw optionError('url', "must be an http: or https: URL, such as 'http://127.0.0.1:8080'", value);
  }
  // Whoever reads the message may not know a password.
  if (url.username || url.password) throw optionError('url', 'must not have a password: use the option token', 'one');
  if (url.search || url.hash) throw optionError('url', 'must have neither a query nor a fragment', value);
  return url;
}

/** The message does not show a token. */
function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^[!-~]{1,4096}$/.test(token)) return token;
  throw optionError('token', 'must be visible ASCII text of at most 4,096 characters', typeof token);
}

function between(value: unknown, path: string, leastMs: number, mostMs: number, most: string): number {
  const ms = durationMs(value, path, leastMs);
  if (ms > mostMs) throw optionError(path, `must be at most ${most}`, value);
  return ms;
}

function fieldNames(names: unknown): readonly string[] {
  if (!Array.isArray(names) || names.length > MOST_FIELDS) {
    throw optionError('headers', `must be a list of at most ${MOST_FIELDS} names of header fields`, names);
  }
  return names.map((name: unknown, i) => {
    if (typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name)) return name.toLowerCase();
    throw optionError(`headers[${i}]`, "must be the name of a header field, such as 'x-api-key'", name);
  });
}
