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

  isAnswered(): boolean {
    return this.#request.context.finalized;
  }
}

/**
 * Adds the fields that a response lacks. A handler may return its own `Response`, which Hono does not change. A field
 * that the handler has set stays as it is.
 */
export function completeFields({ context, fields }: FetchRequest): void {
  const missing = [...fields].filter(([name]) => !context.res.headers.has(name));
  if (missing.length === 0) return;
  try {
    setAll(context.res, missing);
  } catch {
    // The header fields of a response from fetch() or Response.redirect() cannot be changed, but those of a copy can.
    const copy = new Response(context.res.body, context.res);
    setAll(copy, missing);
    replaceResponse(context, copy);
  }
}

/** Hono copies the fields of a response into the one that replaces it, unless there is none before. */
export function replaceResponse(context: Context, response: Response): void {
  context.res = undefined;
  context.res = response;
}

function setAll({ headers }: Response, fields: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of fields) headers.set(name, value);
}
