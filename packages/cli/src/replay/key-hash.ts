import { getRandomValues } from 'node:crypto';

const { imul } = Math;

/**
 * Computes a hash of 64 bits for each text. It begins with random numbers, so that nobody can write keys into a log that
 * collide. Two of a million keys have the same hash with a chance of about 3 in 100 million.
 *
 * The steps are those of MurmurHash3 by Austin Appleby, once for each half.
 */
export class KeyHash {
  /** The hash of the text that was read last. */
  high = 0;
  low = 0;
  readonly #seeds = getRandomValues(new Int32Array(2));

  read(text: string): void {
    let high = this.#seeds[0] as number;
    let low = this.#seeds[1] as number;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      const block = imul(unit, 0xcc9e2d51);
      const spread = imul((block << 15) | (block >>> 17), 0x1b873593);
      high ^= spread;
      high = (imul((high << 13) | (high >>> 19), 5) + 0xe6546b64) | 0;
      low ^= imul((spread << 16) | (spread >>> 16), 0x85ebca6b);
      low = (imul((low << 15) | (low >>> 17), 9) + 0x38495ab5) | 0;
    }
    this.high = finished(high ^ text.length);
    this.low = finished(low + text.length);
    // A place of zeros is empty.
    if (this.high === 0 && this.low === 0) this.low = 1;
  }
}

function finished(hash: number): number {
  let mixed = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
