import type { Clock } from '@sluice/core/src/values/clock';
import { type ExtraHeadersOf, extraHeadersOf } from '../headers/extra-headers.js';
import { ownFieldNames, retryAfterNames } from '../headers/field-options.js';
import { HeaderFields } from '../headers/fields.js';
import type { HeaderItem } from '../headers/item.js';
import type { WrittenFields } from '../node/response-fields.js';
import type { RequestOptions } from '../options/options.js';
import { DoubleCountWarning } from '../request/double-count-warning.js';
import type { Counter, PassedPolicy } from '../request/passed-policy.js';
import type { DelayedRequests } from '../waiting/delayed-requests.js';

type Args = readonly unknown[];

/** The options of a policy over HTTP, and what is made of them once for all its requests. */
export interface CompiledOptions<A extends Args> extends PassedPolicy, WrittenFields<readonly HeaderItem[]> {
  readonly options: RequestOptions<A>;
  readonly fields: HeaderFields;
  readonly replyFields: HeaderFields;
  /** The clock by which requests wait, and slots lapse. */
  readonly clock: Clock;
  readonly extraHeaders: ExtraHeadersOf<A> | undefined;
  /** Whether the end of a request may matter: it may hold slots, by the limits now or before, or its charge may come back. */
  endMatters: boolean;
  /** Undefined if no request of the policy waits but for a leaky bucket. */
  delayed: DelayedRequests | undefined;
}

/**
 * Compiles the options of a policy.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function compileOptions<A extends Args>(
  options: RequestOptions<A>,
  counter: Counter,
  clock: Clock,
  delayed: DelayedRequests | undefined,
): CompiledOptions<A> {
  const fields = new HeaderFields(options, clock);
  const names = ownFieldNames(options);
  return {
    options,
    counter,
    doubleCount: new DoubleCountWarning(),
    clock,
    fields,
    replyFields: new HeaderFields(options, clock, inLowerCase),
    names,
    statesLimits: names.size > retryAfterNames(options).length,
    extraHeaders: extraHeadersOf(options),
    endMatters: options.skipFailedRequests === true || options.skipSuccessfulRequests === true,
    delayed,
  };
}

/** Compiles the options of a peek: no function of the options is called about it, and nothing follows its end. */
export function compilePeekOptions<A extends Args>(compiled: CompiledOptions<A>): CompiledOptions<A> {
  const { onDecision, onLimitReached, skipFailedRequests, skipSuccessfulRequests, ...others } = compiled.options;
  return { ...compiled, options: others as RequestOptions<A>, delayed: undefined };
}

const inLowerCase = (name: string): string => name.toLowerCase();
