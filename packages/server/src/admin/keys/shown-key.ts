import type { Key } from '@sluice/core';
import { decodeKey, hash } from '@sluice/core/values';
import type { GivenPart } from './given-key.js';

/** A key in a form that `block` and `inspect` take. */
export type ShownKey = GivenPart | Readonly<Record<string, GivenPart>>;

/**
 * Returns what operators may see of a key: an address, a value from code, or `sha256:` and a hash for the value of a header. Only
 * its hash is left of a key that was too long.
 *
 * @param encoded - the key as stores have it
 * @param names - the names of the keys that it is made of, if they are known
 */
export function shownKey(encoded: string, names: readonly string[]): ShownKey {
  const key = decodeKey(encoded);
  return key === undefined ? hash(encoded) : shownParts(key, names);
}

/** Returns the same of a key in the list of blocks: a text as it is, a list as JSON, which may have been cut. */
export function shownText(text: string, names: readonly string[]): ShownKey {
  if (!text.startsWith('[')) return text;
  try {
    return shownParts(JSON.parse(text), names);
  } catch {
    return text;
  }
}

function shownParts(key: Key, names: readonly string[]): ShownKey {
  if (names.length < 2 || !Array.isArray(key) || key.length !== names.length) return shownPart(key);
  return Object.fromEntries(names.map((name, i) => [name, shownPart(key[i] as Key)]));
}

/** Undoes what `ipKey`, `headerKey` and `everyone` make. */
function shownPart(key: Key): GivenPart {
  if (typeof key !== 'object') return key;
  const [kind, first, second] = key;
  if (kind === 'ip' && key.length === 2) return String(first);
  if (kind === 'header' && key.length === 3)
    return `sha256:${Buffer.from(String(second), 'base64url').toString('hex')}`;
  if (kind === 'everyone' && key.length === 1) return kind;
  return key.map((part) => (typeof part === 'object' ? JSON.stringify(part) : part));
}
