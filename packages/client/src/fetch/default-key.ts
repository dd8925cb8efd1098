import type { Key } from '@sluice/core';
import { hash } from '@sluice/core/http';

/** The key of requests without a `key` of the user: who is asked, and on whose account. */
export function defaultKey({ url, headers }: Request): Key {
  const { origin } = new URL(url);
  const credentials = headers.get('authorization');
  return credentials === null ? origin : [origin, hash(credentials)];
}
