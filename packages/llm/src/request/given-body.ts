import { type BodyChange, changedBody, changedText } from '../call/body-change.js';
import { type CheckedRules, ruledChanges } from '../call/body-rules.js';
import { LlmCallError } from '../call/call-error.js';
import type { JsonObject } from '../json-object.js';
import { repeatedName } from '../json-text.js';

/** The body of a call, parsed, and its text where the application has it. */
interface GivenBody {
  readonly body: unknown;
  readonly text?: string;
}

/**
 * Reads what the application returns as the body: the parsed body, or its JSON as text or bytes.
 *
 * @throws LlmCallError if the text is no JSON, or states a name twice in one object: the provider may read the other value
 */
export function givenBody(given: unknown): GivenBody {
  const text = given instanceof Uint8Array ? new TextDecoder().decode(given) : given;
  if (typeof text !== 'string') return { body: given };
  return { body: parsedBody(text), text };
}

/**
 * Returns a body as the operator's rules make it, also its text.
 *
 * @throws LlmCallError that names the member that a rule forbids
 */
export function ruledBody(
  rules: CheckedRules,
  { body, text }: GivenBody,
): GivenBody & { readonly ruled: readonly BodyChange[] } {
  const ruled = rules.size === 0 ? [] : ruledChanges(rules, body);
  if (ruled.length === 0) return { body, ...(text !== undefined && { text }), ruled };
  const changed = changedBody(body as JsonObject, ruled);
  return { body: changed, ...(text !== undefined && { text: changedText(body as JsonObject, text, ruled) }), ruled };
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
