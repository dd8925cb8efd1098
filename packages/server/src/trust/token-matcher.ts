import { createHash, timingSafeEqual } from 'node:crypto';

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const SCHEME = 'bearer ';

/**
 * Makes a function that says whether the field `Authorization` has one of these tokens (RFC 6750 section 2.1). It takes the same
 * time for every wrong token, so that nobody can guess one letter by letter.
 */
export function tokenMatcher(tokens: readonly string[]): (authorization: string | undefined) => boolean {
  const hashes = tokens.map(hashOf);
  return (authorization) => {
    if (authorization === undefined || hashes.length === 0) return false;
    if (authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return false;
    const given = hashOf(authorization.slice(SCHEME.length).trim());
    let isKnown = false;
    for (const hash of hashes) if (timingSafeEqual(hash, given)) isKnown = true;
    return isKnown;
  };
}
