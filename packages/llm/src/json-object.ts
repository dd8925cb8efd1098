/** The members of a JSON object, or the elements of an array. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** Whether a member has a value. Callers and providers write null for a member that is absent. */
export function isStated(value: unknown): boolean {
  return value !== undefined && value !== null;
}
