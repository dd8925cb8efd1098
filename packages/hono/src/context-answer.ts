import { type Admission, type AdmittingHost, CLIENT_LEFT, type HttpReservation, type Outcome } from '@sluice/core/http';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type AnswerWatch, watchAnswer } from './answer-watch.js';
import type { FetchRequest } from './fetch-request.js';
import { ContextFields } from './header-fields.js';

/** The response of a context, as a policy that decides about the request writes it. There is one for each call of a policy. */
export class ContextAnswer implements AdmittingHost<[c: Context]> {
  readonly #request: FetchRequest;
  readonly #watches: AnswerWatch[] = [];

  constructor(request: FetchRequest) {
    this.#request = request;
  }

  requestOf(): FetchRequest {
    return this.#request;
  }

  proxyTrust(): FetchRequest['proxyTrust'] {
    return this.#request.proxyTrust;
  }

  responseOf(): ContextFields {
    return new ContextFields(this.#request);
  }

  keep(reservation: HttpReservation): void {
    this.#request.context.set('rateLimit', reservation);
  }

  onEnd(notify: (outcome: Outcome) => unknown): () => void {
    const watch = watchAnswer(this.#request, notify);
    this.#watches.push(watch);
    return watch.stop;
  }

  /** Makes the response to a request that is not admitted, if it has none. */
  refuse(admission: Exclude<Admission, 'admitted'>): void {
    const { context } = this.#request;
    if (admission === 'over') {
      if (!context.finalized) context.res = new Response(null, { status: CLIENT_LEFT });
      return;
    }
    const { body, status, headers } = admission.refusal;
    context.res = context.body(body, status as ContentfulStatusCode, headers);
  }

  /** The context has its response. */
  answered(): void {
    for (const watch of this.#watches) watch.answered();
  }

  /** There is none, because the handler has failed or returned nothing. */
  failed(): void {
    for (const watch of this.#watches) watch.failed();
  }
}
