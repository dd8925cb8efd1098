import { withFields } from '@sluice/core/http';
import type { Context } from 'hono';
import type { FetchRequest } from './fetch-request.js';

/** Gives Hono the header fields for responses made by the context, such as `c.json()`. */
export class ContextFields {
  readonly #request: FetchRequest;

  constructor(request: FetchRequest) {
    this.#request = request;
  }

  set(name: string, value: string): void {
    this.#request.context.header(name, value);
    this.#request.fields.set(name.toLowerCase(), value);
  }

  append(name: string, value: string): void {
    this.#request.context.header(name, value, { append: true });
    this.#request.fields.set(name.toLowerCase(), value);
  }

  delete(name: string): void {
    this.#request.context.header(name);
    this.#request.fields.delete(name.toLowerCase());
  }

  /** What middleware around the policy has set before, such as a default, is no response to the request. */
  watchAnswer(): () => boolean {
    const { context } = this.#request;
    const before = context.finalized ? context.res : undefined;
    return () => context.finalized && context.res !== before;
  }
}

/**
 * Adds the fields that a response lacks. A handler may return its own `Response`, which Hono does not change. A field
 * that the handler has set stays as it is.
 */
export function completeFields({ context, fields }: FetchRequest): void {
  const missing = [...fields].filter(([name]) => !context.res.headers.has(name));
  if (missing.length === 0) return;
  const completed = withFields(context.res, (headers) => {
    for (const [name, value] of missing) headers.set(name, value);
  });
  if (completed !== context.res) replaceResponse(context, completed);
}

/** Hono copies the fields of a response into the one that replaces it, unless there is none before. */
export function replaceResponse(context: Context, response: Response): void {
  context.res = undefined;
  context.res = response;
}
