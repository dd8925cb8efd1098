import type { PolicyOptions, Resolvable, Resolver } from '../limiter/policy/options.js';
import { POLICY_OPTIONS } from '../limiter/policy/parse.js';
import type { Decision } from '../values/decision.js';
import { optionError } from '../values/error.js';
import type { Key } from '../values/key.js';
import { checkFunction, checkOneOf, checkWhole } from '../values/option-checks.js';
import type { HeaderDraft, LegacyHeaders } from './headers/field-options.js';

/** Header fields of a service's own, by name. What is undefined is not sent. */
export type ExtraHeaders = Readonly<Record<string, string | number | undefined>>;

/** A policy for HTTP. `A` are the arguments that the framework gives its handlers; every callback gets them. */
export type HttpOptions<A extends readonly unknown[]> = PolicyOptions<A> & {
  /** Which draft's `RateLimit` fields are sent: default true, which is draft-11; false sends none. */
  standardHeaders?: boolean | HeaderDraft;
  /**
   * Whether `X-RateLimit-Limit`, `-Remaining` and `-Reset` (seconds from now) are sent: default true. Names in their place rename
   * them; false for one leaves it out.
   *
   * @example rateLimit({ limit: 100, window: '1m', legacyHeaders: { reset: 'X-Rate-Reset', resetAs: 'epoch' } })
   */
  legacyHeaders?: boolean | LegacyHeaders;
  /**
   * Header fields of your own, on admitted and refused answers: a record, or a function of the decision. Fields that cannot be
   * sent, or that Sluice sends itself, are an error in a record; of a function's they are left out, with a warning
   * (`SLUICE_FIELD_LEFT_OUT`). If the function fails, the request does, and nothing is spent.
   *
   * @example rateLimit({ limit: 100, window: '1m', extraHeaders: (_req, _res, { policy }) => ({ 'X-Policy': policy }) })
   */
  extraHeaders?: Resolvable<[...A, decision: Decision], ExtraHeaders | undefined>;
  /**
   * What becomes of a request that has no key: its `keyGenerator` answered null or undefined, for a compound key one of its parts
   * did, or there is none and the request has no address.
   *
   * - `'address'` (default): the address counts; without one it is an error, `SLUICE_KEY`.
   * - A status, 400 to 499: the request is answered with it and a problem (RFC 9457). No limit is asked, nothing is spent, and
   *   neither `onLimitReached` nor `message` is called.
   * - A function: gives the key to count by. One that gives none is an error, `SLUICE_KEY`.
   *
   * @example rateLimit({ limit: 100, window: '1m', keyGenerator: byHeader('x-api-key'), onMissingKey: 401 })
   */
  onMissingKey?: 'address' | number | Resolver<A, Key>;
  /** Whether refusals say in `Retry-After` how long to wait: default true. */
  retryAfter?: boolean;
  /** Status of a refusal, 400 to 599; default 429. A store that is gone answers 503 all the same. */
  statusCode?: number;
  /** Body of a refusal: text, or an object that is sent as JSON. Default: a problem as of RFC 9457. */
  message?: Resolvable<[...A, decision: Decision], Message>;
  /**
   * Called with every decision about a request, admitted or refused: for logs and metrics. Not called for what is not counted
   * (`skip`, the address lists), nor for looks. Nobody waits for what it answers. It cannot change the decision: an error is a
   * process warning, `SLUICE_HOOK_FAILED`.
   */
  onDecision?: Resolver<[...A, decision: Decision], unknown>;
  /**
   * Called, and awaited, when a limit refuses a request. It may answer itself: then nothing more is sent. Not called for the
   * 503 of a failed store (`onStoreError: 'deny'`), which `onDecision` and the event `sluice:store-error` tell, nor for the 403 of `denyList`.
   */
  onLimitReached?: Resolver<[...A, decision: Decision], unknown>;
  /** Gives the charge back when the request failed; default false. */
  skipFailedRequests?: boolean;
  /** Gives the charge back when the request succeeded; default false. */
  skipSuccessfulRequests?: boolean;
  /**
   * Default: the status is below 400. Not asked when the client left before it had the whole answer: such a request neither
   * succeeded nor failed, and stays charged. Nor when the application broke the answer off, which is a failure, nor after
   * `deferSettle`.
   */
  requestWasSuccessful?: Resolver<A, boolean>;
  /** Addresses and CIDR ranges that are not counted. */
  allowList?: readonly string[];
  /** Addresses and CIDR ranges that get 403, whatever else holds. */
  denyList?: readonly string[];
};

/** Every option of a policy for HTTP. */
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
  'skipFailedRequests',
  'skipSuccessfulRequests',
  'requestWasSuccessful',
  'allowList',
  'denyList',
] as const;

const BOOLEANS = ['retryAfter', 'skipFailedRequests', 'skipSuccessfulRequests'] as const;
const FUNCTIONS = ['onDecision', 'onLimitReached', 'requestWasSuccessful'] as const;

/** Checks what only HTTP has; the policy, the header fields and the address lists check their own. */
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
      'cannot stand beside skipFailedRequests: nothing would be counted',
      true,
    );
  }
}

function checkMissingKey(value: unknown = 'address'): void {
  const isStatus = Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 499;
  if (value === 'address' || isStatus || typeof value === 'function') return;
  throw optionError(
    'onMissingKey',
    "must be 'address', a status from 400 to 499 or a function that gives a key",
    value,
  );
}

type Message = string | Readonly<Record<string, unknown>>;

/** What becomes no JSON would fail each refusal. */
function checkJson(message: Message): void {
  try {
    if (JSON.stringify(message) !== undefined) return;
  } catch {}
  throw optionError('message', 'must be text, or an object that can be written as JSON', message);
}

/** What can be sent in place of the problem. */
export function checkMessage(message: unknown, path: string): Message {
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message);
  if (typeof message === 'string' || isObject) return message as Message;
  throw optionError(path, 'must be text, an object or a function that gives one', message);
}
