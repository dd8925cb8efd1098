import { type MemberPath, memberAt, withMember } from '../dialects/member-path.js';
import type { JsonObject } from '../json-object.js';
import { withMemberInText } from '../json-text.js';

/** A member of a body that gets another value, or is added. */
export interface BodyChange {
  readonly path: MemberPath;
  readonly value: unknown;
}

/**
 * Returns a body with changes, as text. Where the caller's own text is known, everything else stays in it as it is. Otherwise its
 * members keep their order.
 */
export function changedText(body: JsonObject, text: string | undefined, changes: readonly BodyChange[]): string {
  const needed = changes.filter(({ path, value }) => memberAt(body, path) !== value);
  if (text !== undefined) return needed.reduce((all, { path, value }) => withMemberInText(all, path, value), text);
  return JSON.stringify(changedBody(body, needed));
}

/** Returns a body with changes. Its members keep their order. */
export function changedBody(body: JsonObject, changes: readonly BodyChange[]): JsonObject {
  return changes.reduce((sent, { path, value }) => withMember(sent, path, value), body);
}
