import type { ConvertedKey } from './conversion.js';

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
  const property = name.replaceAll(/[^a-zA-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  const text = `how this key is read: ${what}. Give it to policies(): keys: { ${property}: (req) => … }. A request without it counts by its address`;
  return { name: property, key: { rule: 'code', notes: [{ kind: 'left out', text }] } };
}
