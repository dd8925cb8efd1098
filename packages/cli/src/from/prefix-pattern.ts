/** Returns the pattern of a policy file for all paths that begin with this text, as locations of nginx and paths of Kong do. */
export function prefixPattern(prefix: string): string {
  return prefix.endsWith('/') ? `${prefix}**` : `${prefix}*/**`;
}

/** Whether a pattern can say this path: a star in it would stand for other texts. */
export const isLiteral = (path: string): boolean => path.startsWith('/') && !path.includes('*');
