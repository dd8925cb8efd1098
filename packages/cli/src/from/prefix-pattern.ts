/** Returns the pattern of a policy file for all paths that begin with this text, as locations of nginx and paths of Kong do. */
export function prefixPattern(prefix: string): string {
  return prefix.endsWith('/') ? `${prefix}**` : `${prefix}*/**`;
}
