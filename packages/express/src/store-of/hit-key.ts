import type { Target } from '@sluice/core';
import { hash } from '@sluice/core/values';

/** Some stores, such as memcached, accept no spaces, no control characters, and at most 250 bytes with a prefix. */
const TAKEN_BY_ALL = /^[\x21-\x7e]{1,200}$/;

/**
 * Returns the key of a limit as one text, the same in every process: `policy:limit:key`. If some store would not accept
 * it, it is `#` and a hash. Two limits never share one.
 */
export function hitKey({ policy, name, key }: Target): string {
  const text = `${encodeURIComponent(policy)}:${encodeURIComponent(name)}:${key}`;
  return TAKEN_BY_ALL.test(text) ? text : `#${hash(text)}`;
}
