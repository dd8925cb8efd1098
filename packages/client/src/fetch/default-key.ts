import type { Key } from '@sluice/core';
import { hash } from '@sluice/core/values';

/** The fields by which servers know an account. Cookies are none: servers change them from answer to answer. */
const CREDENTIALS = [
  'authorization',
  // AWS and Anthropic; Azure; Google; GitLab; OpenStack.
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'private-token',
  'x-auth-token',
] as const;

/** The schemes of `Authorization` by which each request has a signature of its own. */
const SIGNED = /^(?:AWS4-[A-Z0-9-]+|OAuth|Digest|Hawk|Signature) /i;

/** The parts of a signature that name who has signed. In AWS, the day and the region follow the name. */
const SIGNER = /\b(?:Credential=[^/,\s]+|(?:oauth_consumer_key|oauth_token|username|keyId|id)="(?:[^"\\]|\\.)*")/gi;

/** The key of requests without a `key` of the user: who is asked, and on whose account. */
export function defaultKey({ url, headers }: Request): Key {
  const { origin } = new URL(url);
  const accounts = CREDENTIALS.flatMap((field) => accountOf(headers.get(field)));
  return accounts.length === 0 ? origin : [origin, hash(accounts.join('\n'))];
}

function accountOf(credentials: string | null): readonly string[] {
  if (credentials === null) return [];
  return (SIGNED.test(credentials) && credentials.match(SIGNER)) || [credentials];
}
