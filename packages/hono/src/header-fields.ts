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
    const { context, fields } = this.#request;
    const field = name.toLowerCase();
    context.header(name, value, { append: true });
    fields.set(field, [...(fields.get(field) ?? []), value]);
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
 * that the handler has set stays as it is, but `Set-Cookie` and others are added to it.
 */
export function completeFields({ context, fields }: FetchRequest): void {
  const { headers } = context.res;
  const missing = [...fields].filter(([name, value]) => !hasField(headers, name, value));
  if (missing.length === 0) return;
  const completed = withFields(context.res, (headers) => {
    for (const [name, value] of missing) {
      if (typeof value === 'string') headers.set(name, value);
      else for (const each of value) if (!hasValue(headers, name, each)) headers.append(name, each);
    }
  });
  if (completed !== context.res) replaceResponse(context, completed);
}

function hasField(headers: Headers, name: string, value: string | readonly string[]): boolean {
  return typeof value === 'string' ? headers.has(name) : value.every((each) => hasValue(headers, name, each));
}

/** Whether a field that may have several values has this one. */
function hasValue(headers: Headers, name: string, value: string): boolean {
  if (name === 'set-cookie') return headers.getSetCookie().includes(value);
  return `, ${headers.get(name)}, `.includes(`, ${value}, `);
}

/** Hono copies the fields of a response into the one that replaces it, unless there is none before. */
export function replaceResponse(context: Context, response: Response): void {
  context.res = undefined;
  context.res = response;
}
