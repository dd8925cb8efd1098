import type { PolicyOptions, Resolvable, Resolver } from '../limiter/policy/options.js';
import { POLICY_OPTIONS } from '../limiter/policy/parse.js';
import type { Decision } from '../values/decision.js';
import type { Duration } from '../values/duration.js';
import { optionError } from '../values/error.js';
import type { Key } from '../values/key.js';
import { checkFunction, checkOneOf, checkWhole } from '../values/option-checks.js';
import type { HeaderDraft, LegacyHeaders } from './headers/field-options.js';
import type { AddressList } from './keys/address-list.js';

/** Additional header fields by name. A field that is undefined is not sent. */
export type ExtraHeaders = Readonly<Record<string, string | number | undefined>>;

/**
 * The options of a policy for HTTP. `A` are the arguments that the framework passes to its handlers. Every callback
 * gets them.
 */
export type HttpOptions<A extends readonly unknown[]> = PolicyOptions<A> & {
  /** Which draft's `RateLimit` fields are sent. Default: true, which is draft 11. False sends none. */
  standardHeaders?: boolean | HeaderDraft;
  /**
   * Whether `X-RateLimit-Limit`, `-Remaining` and `-Reset` (seconds from now) are sent. Default: true. A record sets
   * other names; false leaves a field out.
   *
   * @example rateLimit({ limit: 100, window: '1m', legacyHeaders: { reset: 'X-Rate-Reset', resetAs: 'epoch' } })
   */
  legacyHeaders?: boolean | LegacyHeaders;
  /**
   * Additional header fields of admitted and refused responses: a record, or a function of the decision.
   *
   * If a record contains a field that cannot be sent, or that Sluice sends itself, it is an error. If a function
   * returns one, it is left out, with the warning `SLUICE_FIELD_LEFT_OUT`. If the function fails, the request fails,
   * and nothing is spent.
   *
   * `Set-Cookie`, `Vary` and `Link` are added to those that are there. Any other field is replaced.
   *
   * @example rateLimit({ limit: 100, window: '1m', extraHeaders: (_req, _res, { policy }) => ({ 'X-Policy': policy }) })
   */
  extraHeaders?: Resolvable<[...A, decision: Decision], ExtraHeaders | undefined>;
  /**
   * What happens to a request without a key. Its `keyGenerator` returned null or undefined, or did so for one part of a
   * compound key; or there is no `keyGenerator`, and the request has no address.
   *
   * - `'address'` (default): the address counts. Without an address it is an error, `SLUICE_KEY`.
   * - A status from 400 to 499: the response has this status and a problem (RFC 9457). No limit is asked, nothing is
   *   spent, and neither `onLimitReached` nor `message` is called.
   * - A function: returns the key to count by. If it returns none, it is an error, `SLUICE_KEY`.
   *
   * @example rateLimit({ limit: 100, window: '1m', keyGenerator: byHeader('x-api-key'), onMissingKey: 401 })
   */
  onMissingKey?: 'address' | number | Resolver<A, Key>;
  /** Whether refusals say in `Retry-After` how long to wait. Default: true. */
  retryAfter?: boolean;
  /**
   * The status of a refusal: 400 to 599. Default: 429; 403 for a key that is blocked for ever. If the store fails, the
   * status is always 503.
   */
  statusCode?: number;
  /** The body of a refusal: text, or an object that is sent as JSON. Default: a problem (RFC 9457). */
  message?: Resolvable<[...A, decision: Decision], Message>;
  /**
   * Called with every decision about a request, admitted or refused. Use it for logs and metrics. It is not called for
   * requests that are not counted (`skip`, the address lists), nor for `peek`. It is not awaited, and cannot change the
   * decision. If it fails, the process gets the warning `SLUICE_HOOK_FAILED`.
   */
  onDecision?: Resolver<[...A, decision: Decision], unknown>;
  /**
   * Called and awaited when a limit refuses a request. It may send a response itself; then nothing more is sent. It is
   * not called for the 503 of a failed store (`onStoreError: 'deny'`), which `onDecision` and the event
   * `sluice:store-error` report, nor for the 403 of `denyList`.
   */
  onLimitReached?: Resolver<[...A, decision: Decision], unknown>;
  /**
   * Lets a request that a limit refuses wait for its turn: at least 1 ms. A request whose turn would come later is refused
   * at once. It must not be used with `countRejected` or `blockDuration`. Default: refused requests do not wait.
   */
  maxWait?: Duration;
  /**
   * How many requests of the policy wait at the same time in this process, because of `maxWait` and `slowDown` together: a
   * whole number of at least 1. One more is refused with 503, and `Retry-After` states its wait. Default: 100.
   */
  waiting?: number;
  /** Whether the charge is given back if the request failed. Default: false. */
  skipFailedRequests?: boolean;
  /** Whether the charge is given back if the request succeeded. Default: false. */
  skipSuccessfulRequests?: boolean;
  /**
   * Returns whether a request succeeded. Default: the status is below 400.
   *
   * It is not called if the client left before it had the whole response: such a request neither succeeded nor failed,
   * and stays charged. It is not called if the application broke the response off, which counts as a failure, and not
   * after `deferSettle`.
   */
  requestWasSuccessful?: Resolver<A, boolean>;
  /** Addresses and CIDR ranges that are not counted. `addressList()` makes a list that can be replaced later. */
  allowList?: readonly string[] | AddressList;
  /**
   * Addresses and CIDR ranges that get status 403 in any case. `addressList()` makes a list that can be replaced later.
   */
  denyList?: readonly string[] | AddressList;
};

/** All options of a policy for HTTP. */
export const HTTP_OPTIONS = [
  ...POLICY_OPTIONS,
  'standardHeaders',
  'legacyHeaders',
  'extraHeaders',
  'onMissingKey',
  'retryAfter',
  'statusCode',
  'message',
  'onDecision',
  'onLimitReached',
  'maxWait',
  'waiting',
  'skipFailedRequests',
  'skipSuccessfulRequests',
  'requestWasSuccessful',
  'allowList',
  'denyList',
] as const;

const BOOLEANS = ['retryAfter', 'skipFailedRequests', 'skipSuccessfulRequests'] as const;
const FUNCTIONS = ['onDecision', 'onLimitReached', 'requestWasSuccessful'] as const;

/** Checks the options that only HTTP has. The policy, the header fields and the address lists check their own. */
export function checkHttpOptions<A extends readonly unknown[]>(options: HttpOptions<A>): void {
  const { statusCode = 429, message = '' } = options;
  for (const option of BOOLEANS) {
    const { [option]: value = false } = options;
    checkOneOf(value, option, [true, false]);
  }
  for (const option of FUNCTIONS) if (options[option] !== undefined) checkFunction(options[option], option);
  checkMissingKey(options.onMissingKey);
  checkWhole(statusCode, 'statusCode', 400, 599);
  if (typeof message !== 'function') checkJson(checkMessage(message, 'message'));
  if (options.skipFailedRequests && options.skipSuccessfulRequests) {
    throw optionError(
      'skipSuccessfulRequests',
      'must not be used with skipFailedRequests: nothing would be counted',
      true,
    );
  }
}

function checkMissingKey(value: unknown = 'address'): void {
  const isStatus = Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 499;
  if (value === 'address' || isStatus || typeof value === 'function') return;
  throw optionError(
    'onMissingKey',
    "must be 'address', a status from 400 to 499, or a function that returns a key",
    value,
  );
}

type Message = string | Readonly<Record<string, unknown>>;

/** A message that cannot be written as JSON would make each refusal fail. */
function checkJson(message: Message): void {
  try {
    if (JSON.stringify(message) !== undefined) return;
  } catch {}
  throw optionError('message', 'must be text, or an object that can be written as JSON', message);
}

/** Checks a message that replaces the problem. */
export function checkMessage(message: unknown, path: string): Message {
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message);
  if (typeof message === 'string' || isObject) return message as Message;
  throw optionError(path, 'must be text, an object, or a function that returns one', message);
}
