import type { Clock, Decision, SluiceError } from '@sluice/core';
import { HttpRefusal } from '@sluice/core/http';
import type { LlmCall } from '../call/llm-call.js';
import { dialectOf } from '../dialects/dialects.js';
import type { Format } from '../dialects/format.js';
import { openAi } from '../dialects/openai.js';
import type { ClientError, Vendor, VendorName } from '../dialects/vendor.js';
import { vendorOf } from '../dialects/vendors.js';
import type { NamedLimit } from '../plan/limit-names.js';
import { type CallRefusal, callRefusal, isByBudget } from './call-refusal.js';
import { errorOfCall, errorOfRefusal } from './client-errors.js';
import { limitFields, retryFields } from './client-fields.js';
import { limitNumbers } from './limit-numbers.js';
import { refusalText } from './refusal-text.js';

/** The form of the bodies of errors: that of the dialect of the call, that of a vendor, or a problem (RFC 9457) with OpenAI's `error`. */
export type ErrorForm = VendorName | 'dialect' | 'problem';

/** What answers depend on. */
interface AnswerRules {
  readonly limits: ReadonlyMap<string, NamedLimit>;
  readonly headers: VendorName | 'dialect' | false;
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
  fields(decision: Decision, format: Format | undefined): Record<string, string | number | undefined> {
    const fields = this.#limitFields(decision, format);
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

  /** The body of a refusal in the form of a vendor. Of a call that was not read, nobody knows the dialect. */
  body(
    form: Exclude<ErrorForm, 'problem'>,
    decision: Decision,
    call: Partial<Pick<LlmCall, 'model' | 'format'>> = {},
  ): Readonly<Record<string, unknown>> {
    const error = this.#error(decision, call.model);
    return { ...speakerOf(form, call.format).errorBody(error), limits: this.#numbers(decision) };
  }

  /**
   * Returns the same error, which now also refuses an HTTP request.
   *
   * @param format - the dialect of the request, if it is known
   */
  refusing(error: SluiceError, format: Format | undefined): SluiceError & Pick<HttpRefusal, 'refusal'> {
    return Object.assign(error, { refusal: this.#noCall(errorOfCall(error), format).refusal });
  }

  #limitFields(decision: Decision, format: Format | undefined): ReturnType<typeof limitFields> {
    const { limits, headers, clock } = this.#rules;
    if (headers === false) return {};
    return limitFields(speakerOf(headers, format), decision, { limits, nowMs: clock.now() });
  }

  #noCall(error: ClientError, format: Format | undefined): HttpRefusal {
    const { errors } = this.#rules;
    const { status, message, field } = error;
    if (errors !== 'problem') return new HttpRefusal(status, { message: speakerOf(errors, format).errorBody(error) });
    const members = { ...(field !== undefined && { field }), ...openAi.errorBody(error) };
    return new HttpRefusal(status, { detail: message, members });
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

/** Returns the vendor in whose words a client is answered: most clients read OpenAI's. */
function speakerOf(form: VendorName | 'dialect', format: Format = 'openai-chat'): Vendor {
  return form === 'dialect' ? dialectOf(format).vendor : vendorOf(form);
}
