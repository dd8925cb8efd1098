import { DEFINITIONS } from '@sluice/core/src/algorithms/definitions';
import type { LimitCheck, Target } from '@sluice/core/src/stores/store';
import { hash } from '@sluice/core/src/values/key';

/** Databases limit the length of a key, some to 255 bytes. */
const LONGEST = 250;

/** Returns the key of a check's state: `sliding-window:login:per-1m:ann`. */
export function stateKey({ policy, name, key, limit }: LimitCheck): string {
  return keyOf(limit.algorithm, policy, name, key);
}

/** Returns the keys of all states that a reset deletes. */
export function stateKeys({ policy, name, key }: Target): readonly string[] {
  return DEFINITIONS.map(({ algorithm }) => keyOf(algorithm, policy, name, key));
}

/** Returns the key under which an id is remembered. No algorithm has such a name. */
export function operationKey(kind: 'ask' | 'change', id: string): string {
  return keyOf(kind, id);
}

/** Returns the key of a part of a policy's list of blocks. No algorithm has such a name. */
export function blockListKey(policy: string, part: string): string {
  return keyOf('blocks', policy, part);
}

/** Joins the parts. If the key becomes too long, a hash replaces it; only hashes contain `#`. */
function keyOf(kind: string, ...parts: readonly string[]): string {
  const key = [kind, ...parts.map(escaped)].join(':');
  if (key.length <= LONGEST) return key;
  return `${kind}:#${hash(key)}`;
}

/**
 * Escapes a part. Colons separate the parts, and databases treat other characters differently: case, accents, zeros,
 * lone surrogates.
 */
function escaped(part: string): string {
  return part.replace(/[^\w.~@-]/g, (sign) => {
    const code = sign.charCodeAt(0);
    return code < 256 ? `%${code.toString(16).padStart(2, '0')}` : `%u${code.toString(16).padStart(4, '0')}`;
  });
}
