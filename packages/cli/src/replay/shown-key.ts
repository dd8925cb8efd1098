import type { Key } from '@sluice/core';

/**
 * Returns a key for people. A header field is shown as its hash, as `customers` of a policy file can name it: the value may be
 * a secret. An address is shown as it is.
 */
export function shownKey(key: Key): string {
  if (!Array.isArray(key)) return String(key);
  const [kind, first, second] = key as readonly unknown[];
  if (kind === 'ip' && typeof first === 'string' && key.length === 2) return first;
  if (kind === 'header' && typeof second === 'string' && key.length === 3) {
    return `sha256:${Buffer.from(second, 'base64url').toString('hex')}`;
  }
  if (kind === 'everyone' && key.length === 1) return 'everyone';
  return key.map(shownKey).join(' + ');
}
