// Why it is so: core/docs/why/budgets-of-models.md

import { SluiceError } from '@sluice/core';
import { show } from '@sluice/core/values';

/**
 * The error for a request that is no call of a model, or that has a wrong field. Its code is `SLUICE_LLM_CALL`. Nothing was
 * spent. `status` and `statusCode` are 400, which error handlers of frameworks read.
 */
export class LlmCallError extends SluiceError {
  /**
   * The field of the body that is wrong: `max_tokens`, `messages[2].content`; `body` for the whole body; `url` for a request that
   * `providerFetch` does not recognize, or whose path asks for a form with files, films or a session.
   */
  readonly field: string;
  /** Always 400: the client has to change its request. */
  readonly status = 400;
  /** The same as `status`: frameworks read the one or the other. */
  readonly statusCode = 400;

  constructor(field: string, rule: string, received: unknown) {
    super('SLUICE_LLM_CALL', `${field} ${rule}, got ${show(received)}`, { path: field, received });
    this.field = field;
  }

  /** Returns the same error for a call that lies in another body: `requests[2].params`. */
  within(place: string): LlmCallError {
    const field = this.field === 'body' ? place : `${place}.${this.field}`;
    const moved = new LlmCallError(field, '', this.received);
    moved.message = field + this.message.slice(this.field.length);
    return moved;
  }
}
