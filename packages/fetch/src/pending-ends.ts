import { type Outcome, type ResponseWatch, watchResponse } from '@sluice/core/http';

/**
 * What has to learn how a request ends: policies that hold a slot or may give a charge back, and `shedLoad`. They are told once, by the
 * refusal of a later guard, or by the response of the handler.
 */
export class PendingEnds {
  readonly #watches: ResponseWatch[] = [];
  readonly #handlers: (() => void)[] = [];
  readonly #fieldsKnown: (() => void)[] = [];

  /** Calls `notify` once when the request has ended. Returns a function that stops it. */
  watch(request: Request, notify: (outcome: Outcome) => unknown): () => void {
    const watch = watchResponse(request, notify);
    this.#watches.push(watch);
    return watch.stop;
  }

  /** Calls `end` when the handler has ended, or will not run. */
  handlerEnds(end: () => void): void {
    this.#handlers.push(end);
  }

  /** Calls `notify` when the header fields of the response are known. */
  fieldsKnown(notify: () => void): void {
    this.#fieldsKnown.push(notify);
  }

  /** The request has this response. Returns the one to send in its place: the same bytes, whose end is noticed. */
  responded(response: Response): Response {
    for (const notify of this.#fieldsKnown) notify();
    let sent = response;
    for (const watch of this.#watches) sent = watch.responded(sent);
    return sent;
  }

  /** The request has no response, because the handler or a guard has failed. */
  failed(): void {
    for (const watch of this.#watches) watch.failed();
  }

  /** The handler has ended, or will not run. */
  handlerEnded(): void {
    for (const end of this.#handlers) end();
  }
}
