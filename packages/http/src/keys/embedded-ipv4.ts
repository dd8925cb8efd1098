/** Returns the IPv4 address in the last 32 bits; undefined if the first 96 bits are no prefix for IPv4. */
export function embeddedIpv4(words: readonly number[]): number | undefined {
  const [a, b, c, d, e, f, high, low] = words as [number, number, number, number, number, number, number, number];
  if (c !== 0 || d !== 0) return undefined;
  const isNat64 = a === 0x64 && b === 0xff9b && e === 0 && f === 0; // 64:ff9b::/96, RFC 6052
  const isMapped = a === 0 && b === 0 && e === 0 && f === 0xffff; // ::ffff:0:0/96, RFC 4291 section 2.5.5.2
  const isTranslated = a === 0 && b === 0 && e === 0xffff && f === 0; // ::ffff:0:0:0/96, RFC 2765 section 2.1
  // ::/96, RFC 4291 section 2.5.5.1, without ::, ::1 and the rest of 0.0.0.0/8, where there are no hosts.
  const isCompatible = a === 0 && b === 0 && e === 0 && f === 0 && high > 0xff;
  return isNat64 || isMapped || isTranslated || isCompatible ? high * 65_536 + low : undefined;
}
