import type { Context } from 'hono';
import type { FetchRequest } from './fetch-request.js';

/**
 * Tells Hono of header fields, for the answers that are made by the context, such as `c.json()`.
 *
 * @param outdated - the names of fields that an outer policy told, and that do not hold any more.
 */
export function prepareFields(
  { context, fields }: FetchRequest,
  headers: Readonly<Record<string, string>>,
  outdated: readonly string[] = [],
): void {
  for (const name of outdated) {
    context.header(name);
    fields.delete(name.toLowerCase());
  }
  for (const [name, value] of Object.entries(headers)) {
    context.header(name, value);
    fields.set(name.toLowerCase(), value);
  }
}

/**
 * Adds the fields that an answer has not: a handler may return a `Response` of its own, of which Hono changes nothing. A field
 * that the handler has set itself stays as it is.
 */
export function completeFields({ context, fields }: FetchRequest): void {
  const missing = [...fields].filter(([name]) => !context.res.headers.has(name));
  if (missing.length === 0) return;
  try {
    setAll(context.res, missing);
  } catch {
    // The headers of what fetch() or Response.redirect() answered cannot be changed; those of a copy can.
    const copy = new Response(context.res.body, context.res);
    setAll(copy, missing);
    replaceResponse(context, copy);
  }
}

/** Hono copies the fields of an answer into one that takes its place, unless there is none before. */
export function replaceResponse(context: Context, response: Response): void {
  context.res = undefined;
  context.res = response;
}

function setAll({ headers }: Response, fields: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of fields) headers.set(name, value);
}
