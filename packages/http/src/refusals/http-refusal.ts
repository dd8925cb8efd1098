// Why it is so: core/docs/why/fields-and-refusals.md

import { optionError } from '@sluice/core/src/values/error';
import type { SkipReason } from '@sluice/core/src/values/events';
import { checkOneOf, checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import { customRefusal, problemRefusal, type Refusal } from './problem.js';
import { reasonPhrase } from './reason-phrase.js';
import { checkMessage, type Message } from './refusal-checks.js';

/** The content of a refusal that a function of a policy has decided on. */
export interface HttpRefusalOptions {
  /** The `title` of the problem. Default: the reason phrase of the status, such as `Bad Request`. */
  title?: string;
  /** The `detail` of the problem. Default: none. */
  detail?: string;
  /** Further members of the problem. Default: none. */
  members?: Readonly<Record<string, unknown>>;
  /** The body, instead of a problem: text, or an object that is sent as JSON. */
  message?: Message;
  /** The error behind it. It is not sent. */
  cause?: unknown;
  /** Under which reason `policyMetrics` and metrics count it. Default: `'refused'`. */
  reason?: RefusalReason;
}

/** Why a request was refused before any limit was asked. */
export type RefusalReason = Exclude<SkipReason, 'skip' | 'allowList'>;

const REASONS: readonly RefusalReason[] = ['denyList', 'unknown', 'blocked', 'refused'];

/**
 * Throw it from a function of a policy (`skip`, `limit`, `keyGenerator`, `partition`, `cost`) to refuse the request
 * with a status of your own, for example because its body makes no sense. No limit is asked and nothing is spent; the
 * policies before it give back their charges. Neither `onLimitReached` nor `onDecision` is called.
 *
 * Any error with a property `refusal` of this form does the same.
 *
 * @throws SluiceError `SLUICE_OPTION` if the status is not from 400 to 599, or an option is wrong
 * @example
 * const cost = (req) => {
 *   if (!Number.isSafeInteger(req.body.units)) throw new HttpRefusal(400, { detail: 'units must be a whole number' });
 *   return req.body.units;
 * };
 */
export class HttpRefusal extends Error {
  /** Always `HttpRefusal`. */
  override readonly name = 'HttpRefusal';
  /** What is sent. */
  readonly refusal: Refusal;
  /** What the request counts as in metrics. */
  readonly reason: RefusalReason;

  constructor(status: number, options: HttpRefusalOptions = {}) {
    checkWhole(status, 'status', 400, 599);
    checkOptions(options, ['title', 'detail', 'members', 'message', 'cause', 'reason']);
    const { title = reasonPhrase(status) ?? 'Error', detail, members, message, cause } = options;
    super(detail ?? title, cause === undefined ? {} : { cause });
    if (message !== undefined && (members !== undefined || detail !== undefined)) {
      throw optionError('message', 'must not be beside detail or members, which belong to a problem', message);
    }
    this.reason = checkOneOf(options.reason ?? 'refused', 'reason', REASONS);
    this.refusal =
      message === undefined
        ? problemOf({ type: 'about:blank', title, status, ...(detail !== undefined && { detail }) }, members)
        : customRefusal(checkMessage(message, 'message'), status);
  }
}

/** Returns a problem whose own members come first, and are not replaced. */
function problemOf(
  own: { readonly type: string; readonly title: string; readonly status: number; readonly detail?: string },
  members: Readonly<Record<string, unknown>> = {},
): Refusal {
  return problemRefusal({ ...own, ...members, ...own });
}

/**
 * Returns the refusal that an error stands for; undefined if there is none. It goes by the form and not by the class,
 * because a process may have this package twice, once imported and once required.
 */
export function refusalOfError(error: unknown): Refusal | undefined {
  const refusal = (error as { readonly refusal?: Partial<Refusal> } | null | undefined)?.refusal;
  const isRefusal =
    error instanceof Error &&
    typeof refusal?.status === 'number' &&
    typeof refusal.body === 'string' &&
    typeof refusal.headers === 'object';
  return isRefusal ? (refusal as Refusal) : undefined;
}

/** Returns why an error with a refusal refuses. */
export function reasonOfError(error: unknown): RefusalReason {
  const { reason } = error as { readonly reason?: unknown };
  return REASONS.find((known) => known === reason) ?? 'refused';
}
