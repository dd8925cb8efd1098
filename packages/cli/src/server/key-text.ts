/** Returns a key of an answer as one cell of a table: text as it is, the parts of a key as JSON. */
export function keyText(key: unknown): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}
