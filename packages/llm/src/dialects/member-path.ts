import { isObject, type JsonObject } from '../json-object.js';

/** A member of a body by the names that lead to it: `['generationConfig', 'maxOutputTokens']`. */
export type MemberPath = readonly [string, ...string[]];

/** Returns the member of a body; undefined if it has none. */
export function memberAt(body: JsonObject, path: readonly string[]): unknown {
  let value: unknown = body;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** Returns a body with another value of a member. All members keep their places. */
export function withMember(body: JsonObject, path: MemberPath, value: unknown): JsonObject {
  const [name, next, ...rest] = path;
  if (next === undefined) return { ...body, [name]: value };
  const { [name]: before } = body;
  return { ...body, [name]: withMember(isObject(before) ? before : {}, [next, ...rest], value) };
}
