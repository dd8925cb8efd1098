import { createHash } from 'node:crypto';
import type { Target } from '@sluice/core';

/** Some stores, such as memcached, take no blanks, no control characters and at most 250 bytes, a prefix included. */
const TAKEN_BY_ALL = /^[\x21-\x7e]{1,200}$/;

/**
 * The key of a limit as one text, the same in every process: `policy:limit:key`, or where some store would not take that,
 * `#` and its hash. Two limits never share one.
 */
export function hitKey({ policy, name, key }: Target): string {
  const text = `${encodeURIComponent(policy)}:${encodeURIComponent(name)}:${key}`;
  return TAKEN_BY_ALL.test(text) ? text : `#${createHash('sha256').update(text).digest('base64url')}`;
}
