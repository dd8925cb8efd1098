import type { Clock } from '../values/clock.js';
import type { ChainedPolicy, Counter } from './chain.js';
import type { DelayedRequests } from './delayed-requests.js';
import { type ExtraHeadersOf, extraHeadersOf } from './extra-headers.js';
import { ownFieldNames, retryAfterNames } from './headers/field-options.js';
import { HeaderFields } from './headers/fields.js';
import type { HeaderItem } from './headers/item.js';
import type { WrittenFields } from './node/response.js';
import type { RequestOptions } from './options.js';
import { DoubleCountWarning } from './warnings.js';

type Args = readonly unknown[];

/** The parts of a policy that all its requests share. */
export interface Rules<A extends Args> extends ChainedPolicy, WrittenFields<readonly HeaderItem[]> {
  readonly options: RequestOptions<A>;
  readonly fields: HeaderFields;
  readonly replyFields: HeaderFields;
  /** The clock by which requests wait, and slots lapse. */
  readonly clock: Clock;
  /** The names of the fields in which a refusal says how long to wait. */
  readonly retryAfter: readonly string[];
  readonly extraHeaders: ExtraHeadersOf<A> | undefined;
  /** Undefined if no request of the policy waits but for a leaky bucket. */
  delayed: DelayedRequests | undefined;
  /** Whether nothing of the options concerns a request that is admitted, once its fields are set. */
  readonly admitsPlainly: boolean;
  /** Whether no function and no content of the options is part of a refusal by a limit. */
  readonly refusesPlainly: boolean;
}

/**
 * Makes the rules of a policy.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function rulesOf<A extends Args>(
  options: RequestOptions<A>,
  counter: Counter,
  clock: Clock,
  delayed: DelayedRequests | undefined,
): Rules<A> {
  const fields = new HeaderFields(options, clock);
  const names = ownFieldNames(options);
  const retryAfter = retryAfterNames(options);
  return {
    options,
    counter,
    doubleCount: new DoubleCountWarning(),
    clock,
    fields,
    replyFields: new HeaderFields(options, clock, inLowerCase),
    names,
    statesLimits: names.size > retryAfter.length,
    retryAfter,
    extraHeaders: extraHeadersOf(options),
    delayed,
    admitsPlainly: admitsPlainly(options),
    refusesPlainly: refusesPlainly(options),
  };
}

/** Returns the rules of a peek: no function of the options is called about it, and nothing follows its end. */
export function peekRulesOf<A extends Args>(rules: Rules<A>): Rules<A> {
  const { onDecision, onLimitReached, skipFailedRequests, skipSuccessfulRequests, ...others } = rules.options;
  const options = others as RequestOptions<A>;
  return {
    ...rules,
    options,
    delayed: undefined,
    admitsPlainly: admitsPlainly(options),
    refusesPlainly: refusesPlainly(options),
  };
}

const inLowerCase = (name: string): string => name.toLowerCase();

function admitsPlainly({
  extraHeaders,
  skipFailedRequests = false,
  skipSuccessfulRequests = false,
}: RequestOptions<never>): boolean {
  return extraHeaders === undefined && !skipFailedRequests && !skipSuccessfulRequests;
}

function refusesPlainly({
  extraHeaders,
  onLimitReached,
  message,
  problem,
  statusCode,
  retryAfter,
}: RequestOptions<never>): boolean {
  const added = [extraHeaders, onLimitReached, message, problem];
  return (
    added.every((option) => option === undefined) &&
    [statusCode, retryAfter].every((option) => typeof option !== 'function')
  );
}
