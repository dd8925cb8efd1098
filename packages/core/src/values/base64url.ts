/** How many bytes are arguments of one call: those of a long key would be more than the stack holds. */
const AT_ONCE = 8192;

/** Returns bytes as text of letters, digits, `-` and `_` (RFC 4648 section 5), without padding. */
export function toBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) binary += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Returns the bytes of such a text.
 *
 * @throws DOMException if the text is none
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}
