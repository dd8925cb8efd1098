import { createHash } from 'node:crypto';
import { DEFINITIONS } from '../../algorithms/definitions.js';
import type { Check, Target } from '../store.js';

/** Databases limit the length of a key, some of them to 255 bytes. */
const LONGEST = 250;

/** The key of a check's state: `sliding-window:login:per-1m:ann`. */
export function stateKey({ policy, name, key, limit }: Check): string {
  return keyOf(limit.algorithm, policy, name, key);
}

/** The keys of every state that a reset deletes. */
export function stateKeys({ policy, name, key }: Target): readonly string[] {
  return DEFINITIONS.map(({ algorithm }) => keyOf(algorithm, policy, name, key));
}

/** The key of what is remembered by an id. No algorithm has such a name. */
export function operationKey(kind: 'ask' | 'change', id: string): string {
  return keyOf(kind, id);
}

/** A long key is replaced by its hash. No other key has the sign `#`. */
function keyOf(kind: string, ...parts: readonly string[]): string {
  const key = [kind, ...parts.map(escaped)].join(':');
  if (key.length <= LONGEST) return key;
  return `${kind}:#${createHash('sha256').update(key).digest('base64url')}`;
}

/** Colons divide the parts, and databases differ in what they do to other signs: case, accents, zeros, lone surrogates. */
function escaped(part: string): string {
  return part.replace(/[^\w.~@-]/g, (sign) => {
    const code = sign.charCodeAt(0);
    return code < 256 ? `%${code.toString(16).padStart(2, '0')}` : `%u${code.toString(16).padStart(4, '0')}`;
  });
}
