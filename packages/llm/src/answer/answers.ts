import type { Clock, Decision } from '@sluice/core';
import { HttpRefusal } from '@sluice/core/http';
import type { LlmCallError } from '../call/call-error.js';
import type { NamedLimit } from '../plan/limit-names.js';
import { type CallRefusal, callRefusal, isByBudget } from './call-refusal.js';
import { anthropicFields, openAiFields, retryFields } from './client-fields.js';
import { anthropicCallError, type ErrorForm, openAiCallError, problemMembers, refusalBody } from './error-bodies.js';
import { limitNumbers } from './limit-numbers.js';
import { refusalText } from './refusal-text.js';

/** What answers depend on. */
interface AnswerRules {
  readonly limits: ReadonlyMap<string, NamedLimit>;
  readonly headers: 'openai' | 'anthropic' | false;
  readonly errors: ErrorForm;
  readonly budgetStatus: number;
  readonly showBudget: boolean;
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

  /** The status of a refusal. */
  status(decision: Decision): number {
    const refusal = this.#refusal(decision);
    if (refusal.kind === 'blocked') return refusal.retryAfterMs === undefined ? BLOCKED_FOR_EVER : REFUSED;
    return isByBudget(refusal) ? this.#rules.budgetStatus : REFUSED;
  }

  /** The members that a refusal adds to its problem. */
  problem(decision: Decision, model: string | undefined): Readonly<Record<string, unknown>> {
    const refusal = this.#refusal(decision);
    return problemMembers(refusal, this.#text(refusal, model), this.#numbers(refusal));
  }

  /** The body of a refusal in the form of a provider. */
  body(
    form: Exclude<ErrorForm, 'problem'>,
    decision: Decision,
    model: string | undefined,
  ): Readonly<Record<string, unknown>> {
    const refusal = this.#refusal(decision);
    return refusalBody(form, refusal, this.#text(refusal, model), this.#numbers(refusal));
  }

  /** Returns the same error, which now also refuses an HTTP request. */
  refusing(error: LlmCallError): LlmCallError & Pick<HttpRefusal, 'refusal'> {
    return Object.assign(error, { refusal: this.#noCall(error).refusal });
  }

  #limitFields(decision: Decision): ReturnType<typeof openAiFields> {
    const { limits, headers, clock } = this.#rules;
    if (headers === 'openai') return openAiFields(decision, limits);
    return headers === 'anthropic' ? anthropicFields(decision, limits, clock.now()) : {};
  }

  #noCall(error: LlmCallError): HttpRefusal {
    const { errors } = this.#rules;
    const { status, message, field } = error;
    if (errors === 'openai') return new HttpRefusal(status, { message: { error: openAiCallError(error) } });
    if (errors === 'anthropic') return new HttpRefusal(status, { message: { ...anthropicCallError(error) } });
    return new HttpRefusal(status, { detail: message, members: { field, error: openAiCallError(error) } });
  }

  #refusal(decision: Decision): CallRefusal {
    return callRefusal(decision, this.#rules.limits);
  }

  #text(refusal: CallRefusal, model: string | undefined): string {
    return refusalText(refusal, { model, showBudget: this.#rules.showBudget });
  }

  #numbers(refusal: CallRefusal): ReturnType<typeof limitNumbers> {
    const { clock, showBudget } = this.#rules;
    return limitNumbers(refusal, clock.now(), showBudget);
  }
}
