/** Reads one value of a parsed line of JSON. */
export type JsonReader = (line: object) => unknown;

/** Returns a reader of a path such as `req.headers.host`. A member whose name has the dots is found as well. */
export function jsonPath(path: string): JsonReader {
  const names = path.split('.');
  if (names.length === 1) return (line) => memberOf(line, path);
  return (line) => {
    let value: unknown = line;
    for (const name of names) value = memberOf(value, name);
    return value === undefined ? memberOf(line, path) : value;
  };
}

/** Returns a reader of the first of several paths that has a value. Lines of one log mostly have the same. */
export function firstJsonPath(paths: readonly string[]): JsonReader {
  const readers = paths.map(jsonPath);
  let last = 0;
  return (line) => {
    const usual = readers[last]?.(line);
    if (usual !== undefined && usual !== null) return usual;
    for (let i = 0; i < readers.length; i += 1) {
      const value = readers[i]?.(line);
      if (value === undefined || value === null) continue;
      last = i;
      return value;
    }
    return undefined;
  };
}

/** Returns a member of an object; undefined if it has none of its own. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Returns text or a number as text, and of a list its first entry; undefined for anything else, and for empty text. */
export function textOf(value: unknown): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  if (typeof one === 'number') return String(one);
  return typeof one === 'string' && one !== '' && one !== '-' ? one : undefined;
}
