import type { ConvertedKey, Note } from './conversion.js';
import { isReserved } from './names.js';

/** A key of the policy file by its name. */
export interface NamedKey {
  readonly name: string;
  /** Undefined for the keys that every policy file has: `address` and `everyone`. */
  readonly key: ConvertedKey | undefined;
}

/** The keys that every policy file has. */
export const ADDRESS: NamedKey = { name: 'address', key: undefined };
export const EVERYONE: NamedKey = { name: 'everyone', key: undefined };

/** Returns a key that the program has to give, because a file cannot say how it is read. */
export function keyFromCode(name: string, what: string): NamedKey {
  const given =
    name
      .replaceAll(/[^a-zA-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 60) || 'key';
  const property = isTaken(given) ? `${given}_key` : given;
  const text = `how this key is read: ${what}. Give it to policies(): keys: { ${property}: (req) => … }. A request without it counts by its address`;
  return { name: property, key: { rule: 'code', notes: [{ kind: 'left out', text }] } };
}

/** Returns the key of a header field. */
export function keyFromHeader(header: string, notes: readonly Note[] = []): NamedKey {
  return {
    name: isTaken(header) || header === KONGS_OWN ? `header-${header}` : header,
    key: { rule: { header }, notes },
  };
}

/** A key of code that a header field must not replace. */
const KONGS_OWN = 'consumer';

/** Names that mean something else in a policy file. */
const isTaken = (name: string): boolean => isReserved(name) || [ADDRESS.name, EVERYONE.name].includes(name);
