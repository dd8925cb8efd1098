/**
 * The header fields of a response: a fetch `Headers`, pairs of names and values, or a record as Node makes it
 * (`response.headers` of `node:http`, undici and axios).
 */
export type HeaderSource =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The fields that somebody asked for, by their names in lower case. */
export type Fields = ReadonlyMap<string, string>;

/** A longer value is not read. Servers send all their fields in less. */
const LONGEST_VALUE = 8192;

/** Returns the fields with these names, in one pass. Fields that occur several times are joined as HTTP joins them. */
export function pickFields(headers: HeaderSource, names: ReadonlySet<string>): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of pairsOf(headers)) {
    const field = name.toLowerCase();
    if (!names.has(field) || value === undefined) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    const earlier = fields.get(field);
    fields.set(field, earlier === undefined ? text : `${earlier}, ${text}`);
  }
  for (const [field, value] of fields) if (value.length > LONGEST_VALUE) fields.delete(field);
  return fields;
}

function pairsOf(headers: HeaderSource): Iterable<readonly [string, string | readonly string[] | undefined]> {
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: HeaderSource): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}
