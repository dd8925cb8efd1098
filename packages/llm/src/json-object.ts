/** The members of a JSON object, or the elements of an array. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value, such as one of JSON, is an object or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** Whether a member has a value. Callers and providers write null for a member that is absent. */
export function isStated(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns the object or array that a text of JSON is; undefined if it is none. */
export function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
