import type { Clock, Decision } from '@sluice/core';
import { HttpRefusal } from '@sluice/core/http';
import type { LlmCallError } from '../call/call-error.js';
import { vendorOf } from '../dialects/dialects.js';
import { openAi } from '../dialects/openai.js';
import type { ClientError, VendorName } from '../dialects/vendor.js';
import type { NamedLimit } from '../plan/limit-names.js';
import { type CallRefusal, callRefusal, isByBudget } from './call-refusal.js';
import { errorOfCall, errorOfRefusal } from './client-errors.js';
import { limitFields, retryFields } from './client-fields.js';
import { limitNumbers } from './limit-numbers.js';
import { refusalText } from './refusal-text.js';

/** The form of the bodies of errors: a problem (RFC 9457) with OpenAI's member `error`, or that of a vendor. */
export type ErrorForm = VendorName | 'problem';

/** What answers depend on. */
interface AnswerRules {
  readonly limits: ReadonlyMap<string, NamedLimit>;
  readonly headers: VendorName | false;
  readonly errors: ErrorForm;
  readonly budgetStatus: number;
  readonly showBudget: boolean;
  readonly maxHoldMs: number;
  readonly clock: Clock;
}

const REFUSED = 429;
const BLOCKED_FOR_EVER = 403;

/** Makes the answers to calls: the header fields of all, and the status and the body of refusals. */
export class Answers {
  readonly #rules: AnswerRules;

  constructor(rules: AnswerRules) {
    this.#rules = rules;
  }

  /** The fields of an admitted or refused call. */
  fields(decision: Decision): Record<string, string | number | undefined> {
    const fields = this.#limitFields(decision);
    return decision.allowed ? fields : { ...fields, ...retryFields(this.#refusal(decision)) };
  }

  /** Whether `Retry-After` says when the limits allow the call again. What calls under way hold is given back long before a budget is fresh. */
  isTimed(decision: Decision): boolean {
    return this.#refusal(decision).kind !== 'held';
  }

  /** The status of a refusal. */
  status(decision: Decision): number {
    const refusal = this.#refusal(decision);
    if (refusal.kind === 'blocked') return refusal.retryAfterMs === undefined ? BLOCKED_FOR_EVER : REFUSED;
    return isByBudget(refusal) ? this.#rules.budgetStatus : REFUSED;
  }

  /** The members that a refusal adds to its problem. */
  problem(decision: Decision, model: string | undefined): Readonly<Record<string, unknown>> {
    const error = this.#error(decision, model);
    return { detail: error.message, ...openAi.errorBody(error), limits: this.#numbers(decision) };
  }

  /** The body of a refusal in the form of a vendor. */
  body(form: VendorName, decision: Decision, model: string | undefined): Readonly<Record<string, unknown>> {
    return { ...vendorOf(form).errorBody(this.#error(decision, model)), limits: this.#numbers(decision) };
  }

  /** Returns the same error, which now also refuses an HTTP request. */
  refusing(error: LlmCallError): LlmCallError & Pick<HttpRefusal, 'refusal'> {
    return Object.assign(error, { refusal: this.#noCall(error).refusal });
  }

  #limitFields(decision: Decision): ReturnType<typeof limitFields> {
    const { limits, headers, clock } = this.#rules;
    return headers === false ? {} : limitFields(vendorOf(headers), decision, { limits, nowMs: clock.now() });
  }

  #noCall(error: LlmCallError): HttpRefusal {
    const { errors } = this.#rules;
    const { status, message, field } = error;
    const stated = errorOfCall(error);
    if (errors !== 'problem') return new HttpRefusal(status, { message: vendorOf(errors).errorBody(stated) });
    return new HttpRefusal(status, { detail: message, members: { field, ...openAi.errorBody(stated) } });
  }

  #error(decision: Decision, model: string | undefined): ClientError {
    const refusal = this.#refusal(decision);
    const { showBudget, maxHoldMs } = this.#rules;
    const text = refusalText(refusal, { model, showBudget, maxHoldMs });
    return errorOfRefusal(refusal, text, this.status(decision));
  }

  #refusal(decision: Decision): CallRefusal {
    return callRefusal(decision, this.#rules.limits);
  }

  #numbers(decision: Decision): ReturnType<typeof limitNumbers> {
    const { clock, showBudget } = this.#rules;
    return limitNumbers(this.#refusal(decision), clock.now(), showBudget);
  }
}
