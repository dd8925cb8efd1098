import { type BareItem, type Item, isInnerList, parseList, Token } from 'structured-headers';

/** Returns the Items of a List of RFC 9651. A field that is no List has none, as the RFC asks for. */
export function itemsOf(field: string | undefined): readonly Item[] {
  if (field === undefined) return [];
  try {
    return parseList(field).filter((member): member is Item => !isInnerList(member));
  } catch {
    return [];
  }
}

/** Returns a number that stands in a field, or undefined. */
export function numberOf(value: BareItem | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Returns seconds that stand in a field, in milliseconds. */
export function secondsMs(value: BareItem | undefined): number | undefined {
  return typeof value === 'number' ? Math.ceil(value * 1000) : undefined;
}

/** Returns a String or a Token as text, and a Byte Sequence in base64. */
export function textOf(value: BareItem | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Token) return value.toString();
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : undefined;
}
