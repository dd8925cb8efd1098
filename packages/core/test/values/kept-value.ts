/** Returns the member of an error that has received a value: none for objects and functions. */
export function keptValue(value: unknown): { readonly received?: unknown } {
  const isPrimitive = value === null || (typeof value !== 'object' && typeof value !== 'function');
  return isPrimitive ? { received: value } : {};
}
