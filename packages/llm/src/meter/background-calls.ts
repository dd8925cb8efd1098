/** A call that goes on at the provider after its request was answered. */
interface OpenCall {
  /** Follows an answer that says how far it is. */
  resume(answer: Response): Response;
}

/**
 * The calls of this process that go on in the background (`background: true` of OpenAI's responses), and its batches, by the ids of their
 * responses, batches and files with results. Each is held until somebody fetches its final answer, or its longest hold ends.
 */
export class BackgroundCalls {
  readonly #calls = new Map<string, OpenCall>();

  add(id: string, call: OpenCall): void {
    this.#calls.set(id, call);
  }

  remove(id: string): void {
    this.#calls.delete(id);
  }

  /** Returns an answer that was fetched by its id. If the call was made here and is open, reading the answer settles it. */
  collect(id: string, answer: Response): Response {
    return this.#calls.get(id)?.resume(answer) ?? answer;
  }
}
