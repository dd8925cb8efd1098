/** The number of hash slots of a cluster. */
const SLOTS = 16_384;

/** CRC16 of each byte, with the polynomial of XMODEM. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1;
  return sum;
});

/**
 * Returns the slot of a cluster in which keys with this hash tag live.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model
 */
export function hashSlot(tag: string): number {
  let sum = 0;
  for (let i = 0; i < tag.length; i += 1) {
    const code = tag.charCodeAt(i);
    if (code > 127) return slotOf(Buffer.from(tag));
    sum = next(sum, code);
  }
  return sum % SLOTS;
}

function slotOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = next(sum, byte);
  return sum % SLOTS;
}

function next(sum: number, byte: number): number {
  return ((sum << 8) & 0xffff) ^ (TABLE[((sum >> 8) ^ byte) & 0xff] as number);
}
