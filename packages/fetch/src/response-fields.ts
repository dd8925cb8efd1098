import { withFields } from '@sluice/core/http';

/** The header fields that policies have set for the response of a request, which is made later. */
export class ResponseFields {
  readonly #set = new Map<string, string>();
  /** Fields such as `Set-Cookie`, which are added to those of the response. */
  #added: readonly (readonly [name: string, value: string])[] = [];
  readonly #isAnswered: () => boolean;

  /** @param isAnswered - whether a callback has made the response */
  constructor(isAnswered: () => boolean) {
    this.#isAnswered = isAnswered;
  }

  set(name: string, value: string): void {
    this.#set.set(name.toLowerCase(), value);
  }

  append(name: string, value: string): void {
    this.#added = [...this.#added, [name, value]];
  }

  delete(name: string): void {
    this.#set.delete(name.toLowerCase());
  }

  watchAnswer(): () => boolean {
    return this.#isAnswered;
  }

  /**
   * Returns the response with these fields. A field that it has already stays as it is. What is added to other values is added to one
   * response alone: the next one of the same request may contain it.
   */
  on(response: Response): Response {
    const missing = [...this.#set].filter(([name]) => !response.headers.has(name));
    const added = this.#added;
    this.#added = [];
    if (missing.length === 0 && added.length === 0) return response;
    return withFields(response, (headers) => {
      for (const [name, value] of missing) headers.set(name, value);
      for (const [name, value] of added) headers.append(name, value);
    });
  }
}
