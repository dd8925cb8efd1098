/** The size of a block, the place of the length in the last one, and how many words a block is extended to. */
const BLOCK_BYTES = 64;
const LENGTH_AT = 56;
const WORDS = 64;

/** The first 32 bits of the fractional part of a number, as SHA-256 has them. */
const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0;

/** Returns the first 64 primes. */
function primes(): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < WORDS; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

const rotated = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/**
 * Returns the SHA-256 of a text in UTF-8, as FIPS 180-4 defines it. For runtimes without `node:crypto`: the hashes of web standards
 * come with a promise, and a decision in memory is there at once.
 */
export function sha256(text: string): Uint8Array {
  const constants = primes().map((prime) => fraction(Math.cbrt(prime)));
  const state = Int32Array.from(primes().slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  const message = padded(new TextEncoder().encode(text));
  for (let at = 0; at < message.byteLength; at += BLOCK_BYTES) addBlock(state, wordsOf(message, at), constants);
  const digest = new DataView(new ArrayBuffer(state.byteLength));
  state.forEach((word, i) => {
    digest.setInt32(4 * i, word);
  });
  return new Uint8Array(digest.buffer);
}

/** Ends the message with a bit, zeros, and its length in bits. */
function padded(bytes: Uint8Array): DataView {
  const blocks = Math.floor((bytes.length + BLOCK_BYTES - LENGTH_AT) / BLOCK_BYTES) + 1;
  const message = new Uint8Array(blocks * BLOCK_BYTES);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setBigUint64(message.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

/** Returns the words of a block, extended by those that follow from them. */
function wordsOf(message: DataView, at: number): Int32Array {
  const words = new Int32Array(WORDS);
  for (let i = 0; i < WORDS; i += 1) {
    if (i < 16) {
      words[i] = message.getInt32(at + 4 * i);
      continue;
    }
    const [early, late] = [words[i - 15] as number, words[i - 2] as number];
    const first = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const second = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[i] = (words[i - 16] as number) + first + (words[i - 7] as number) + second;
  }
  return words;
}

function addBlock(state: Int32Array, words: Int32Array, constants: readonly number[]): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < WORDS; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const ends = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice;
    const sum = (ends + (constants[i] as number) + (words[i] as number)) | 0;
    const next = (sum + (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority) | 0;
    [a, b, c, d, e, f, g, h] = [next, a, b, c, (d + sum) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = (state[i] as number) + word;
  });
}
