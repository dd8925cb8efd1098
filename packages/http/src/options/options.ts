import type { PolicyOptions, Resolvable, Resolver } from '@sluice/core/src/limiter/policy/options';
import { type Item, POLICY_OPTIONS } from '@sluice/core/src/limiter/policy/parse';
import type { Decision } from '@sluice/core/src/values/decision';
import type { Duration } from '@sluice/core/src/values/duration';
import { optionError } from '@sluice/core/src/values/error';
import type { Key } from '@sluice/core/src/values/key';
import { checkFunction, checkOneOf } from '@sluice/core/src/values/option-checks';
import type { Instead } from '@sluice/core/src/values/option-suggestions';
import { warn } from '@sluice/core/src/values/warning';
import type { ExtraHeaders } from '../headers/extra-headers.js';
import type { HeaderDraft, LegacyHeaders } from '../headers/field-options.js';
import type { AddressList } from '../keys/address-list.js';
import {
  checkJson,
  checkMembers,
  checkMessage,
  checkRetryAfter,
  checkStatus,
  type Message,
} from '../refusals/refusal-checks.js';

/**
 * The options of a policy for HTTP. `A` are the arguments that the framework passes to its handlers. Every callback
 * gets them.
 */
export type HttpOptions<A extends readonly unknown[]> = PolicyOptions<A> & RequestOptions<A>;

/** The options that only HTTP has: about requests and responses, and not about limits. */
export interface RequestOptions<A extends readonly unknown[]> {
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
  /**
   * Whether refusals say in `Retry-After` how long to wait. A function decides for each refusal: for example, to leave
   * out the wait for a month's quota, which a client would sleep through. Default: true.
   */
  retryAfter?: Resolvable<[...A, decision: Decision], boolean>;
  /**
   * The status of a refusal: 400 to 599. A function chooses it by the limit that refused. Default: 429; 403 for a key
   * that is blocked for ever. If the store fails, the status is always 503.
   *
   * @example rateLimit({ limits, statusCode: (_req, _res, { tightest }) => (tightest.name === 'month' ? 402 : 429) })
   */
  statusCode?: Resolvable<[...A, decision: Decision], number>;
  /** The body of a refusal: text, or an object that is sent as JSON. Default: a problem (RFC 9457). */
  message?: Resolvable<[...A, decision: Decision], Message>;
  /**
   * Further members of the problem that is the body of a refusal, for example the numbers of the limits that refused. A
   * `title` or a `detail` replaces the usual text. `type`, `status` and `violated-policies` cannot be replaced. It has no
   * effect if there is a `message`. Default: none.
   *
   * @example rateLimit({ limit, window, problem: (_req, _res, { tightest }) => ({ used: tightest.used }) })
   */
  problem?: Resolvable<[...A, decision: Decision], Readonly<Record<string, unknown>>>;
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
   * Called when a limit refuses a request, before anything else happens. It may make the request cheaper, and return
   * true: then the policy decides about the request once more, and asks all its functions again. It is asked after each
   * further refusal, at most 16 times. The request passes, or is refused, by the last decision, which alone is told in
   * header fields, `onDecision` and `req.rateLimit`. If it fails, the request fails. It must not be used with `countRejected` or
   * `blockDuration`.
   *
   * @example rateLimit({ limit, cost: (req) => req.units, reconsider: (req) => req.units > 1 && Boolean((req.units = 1)) })
   */
  reconsider?: Resolver<[...A, decision: Decision], boolean>;
  /**
   * Lets a request that a limit refuses wait for its turn: at least 1 ms. A request whose turn would come later is refused
   * at once. It must not be used with `countRejected` or `blockDuration`. Default: refused requests do not wait.
   */
  maxWait?: Duration;
  /**
   * How many requests of the policy wait at the same time in this process, because of `maxWait` and `slowDown` together: a
   * whole number of at least 1. One more is refused with 503, and `Retry-After` states its wait; or if another key has more of
   * these requests, its newest one is refused instead. Default: 100.
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
}

/** The options that only HTTP has. */
export const REQUEST_OPTIONS = [
  'standardHeaders',
  'legacyHeaders',
  'extraHeaders',
  'onMissingKey',
  'retryAfter',
  'statusCode',
  'message',
  'problem',
  'onDecision',
  'onLimitReached',
  'reconsider',
  'maxWait',
  'waiting',
  'skipFailedRequests',
  'skipSuccessfulRequests',
  'requestWasSuccessful',
  'allowList',
  'denyList',
] as const;

/** All options of a policy for HTTP. */
export const HTTP_OPTIONS = [...POLICY_OPTIONS, ...REQUEST_OPTIONS] as const;

/** What to write instead of options that other libraries have for HTTP. */
export const HTTP_INSTEAD: readonly Instead[] = [
  ['allowList', 'allowlist whitelist whiteList'],
  ['denyList', 'denylist blacklist blackList isBlackListed enableProtection'],
  ['onLimitReached', 'handler onExceeded onBanReach'],
  ['onDecision', 'onExceeding'],
  ['message', 'errorMessage errorResponseBuilder'],
  ['legacyHeaders', 'headers addHeaders addHeadersOnExceeding'], // these choose among the X-RateLimit fields
  ['standardHeaders', 'setHeaders', 'use standardHeaders, legacyHeaders and retryAfter'],
  ['standardHeaders', 'enableDraftSpec', "use standardHeaders: 'draft-6', legacyHeaders: false"],
  ['standardHeaders', 'draft_polli_ratelimit_headers', "use standardHeaders: 'draft-6'"],
  ['onLimitReached', 'ipv6Subnet ipv6SubnetPrefix', 'use keyGenerator: byIp({ ipv6Subnet })'],
  ['onLimitReached', 'requestPropertyName', 'the decision is always in the property rateLimit of the request'],
  ['onLimitReached', 'validate', 'leave it out, because wrong options throw errors, and dangerous ones cause warnings'],
];

const BOOLEANS = ['skipFailedRequests', 'skipSuccessfulRequests'] as const;
const FUNCTIONS = ['onDecision', 'onLimitReached', 'reconsider', 'requestWasSuccessful'] as const;

/** Checks the options that only HTTP has. The policy, the header fields and the address lists check their own. */
export function checkHttpOptions<A extends readonly unknown[]>(options: RequestOptions<A>): void {
  const { statusCode = 429, message = '', retryAfter = true, problem = {} } = options;
  for (const option of BOOLEANS) {
    const { [option]: value = false } = options;
    checkOneOf(value, option, [true, false]);
  }
  for (const option of FUNCTIONS) if (options[option] !== undefined) checkFunction(options[option], option);
  checkMissingKey(options.onMissingKey);
  if (typeof retryAfter !== 'function') checkRetryAfter(retryAfter, 'retryAfter');
  if (typeof statusCode !== 'function') checkStatus(statusCode, 'statusCode');
  if (typeof problem !== 'function') checkMembers(problem, 'problem');
  if (typeof message !== 'function') checkJson(checkMessage(message, 'message'), 'message');
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

/** Warns about limits that refuse every request. A tier may well have a limit of 0. */
export function warnOfZero<A extends readonly unknown[]>(items: readonly Item<A>[]): void {
  for (const { name, limit, enforce } of items) {
    if (typeof limit === 'function' || limit.quota > 0 || enforce === 0 || enforce === 'mark') continue;
    warn(
      'SLUICE_LIMIT_ZERO',
      `The limit ${JSON.stringify(name)} is 0, so every request is refused. If you want no limit, use unlimited() or leave the limit out.`,
    );
  }
}
