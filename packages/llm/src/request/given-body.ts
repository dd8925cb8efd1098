import { type BodyChange, changedBody, changedText } from '../call/body-change.js';
import { type CheckedRules, ruledChanges } from '../call/body-rules.js';
import { LlmCallError } from '../call/call-error.js';
import { dialectOf } from '../dialects/dialects.js';
import type { Format } from '../dialects/format.js';
import type { JsonObject } from '../json-object.js';
import { repeatedName } from '../json-text.js';
import type { DecidedCall } from './decided-call.js';
import { changedForm, isForm, readForm } from './form.js';

/** The body of a call, parsed, and its text or its bytes where the application has them. */
type GivenBody = Pick<DecidedCall, 'body' | 'text' | 'bytes'>;

/** What is known of the request of a body. */
interface BodySource {
  readonly format: Format | undefined;
  /** The request, which may have a content-type. */
  readonly request?: unknown;
}

/**
 * Reads what the application returns as the body: the parsed body, or its JSON or its form as text or bytes.
 *
 * @throws LlmCallError if the text is no JSON, or states a name twice in one object: the provider may read the other value; or if the
 * bytes are a form that servers could read in several ways
 */
export function givenBody(given: unknown, { format, request }: BodySource): GivenBody {
  if (given instanceof Uint8Array && isForm(given)) {
    const { fileInForm } = format === undefined ? {} : dialectOf(format);
    if (!fileInForm) throw new LlmCallError('body', 'must be JSON', 'a form');
    return { body: readForm(given, contentTypeOf(request), fileInForm).body, bytes: given };
  }
  const text = given instanceof Uint8Array ? new TextDecoder().decode(given) : given;
  if (typeof text !== 'string') return { body: given };
  return { body: parsedBody(text), text };
}

/** Returns the bytes of a form with changes. */
export function changedBytes(bytes: Uint8Array, changes: readonly BodyChange[]): Uint8Array<ArrayBuffer> {
  return changedForm(
    readForm(bytes, undefined, () => ({})),
    changes,
  );
}

/** Requests of Node, of fetch, and the context of Hono. */
interface Headed {
  readonly headers?: unknown;
  readonly req?: { readonly raw?: { readonly headers?: unknown } };
}

function contentTypeOf(request: unknown): string | undefined {
  const { headers, req }: Headed = Object(request);
  const fields = headers ?? req?.raw?.headers;
  const type = fields instanceof Headers ? fields.get('content-type') : Object(fields)['content-type'];
  return typeof type === 'string' ? type : undefined;
}

/**
 * Returns a body as the operator's rules make it, also its text or bytes.
 *
 * @throws LlmCallError that names the member that a rule forbids
 */
export function ruledBody(
  rules: CheckedRules,
  given: GivenBody,
): GivenBody & { readonly ruled: readonly BodyChange[] } {
  const { body, text, bytes } = given;
  const ruled = rules.size === 0 ? [] : ruledChanges(rules, body);
  if (ruled.length === 0) return { ...given, ruled };
  return {
    body: changedBody(body as JsonObject, ruled),
    ...(text !== undefined && { text: changedText(body as JsonObject, text, ruled) }),
    ...(bytes && { bytes: changedBytes(bytes, ruled) }),
    ruled,
  };
}

/** @throws LlmCallError as `givenBody` does */
export function parsedBody(text: string): unknown {
  const body = parsed(text);
  const repeated = repeatedName(text);
  if (repeated === undefined) return body;
  throw new LlmCallError('body', 'must have each name only once in an object', repeated);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LlmCallError('body', 'must be JSON', text);
  }
}
