/**
 * What chance decides in a run. Each part of the world draws from a source of its own, by its name, so that one more message on a
 * link changes nothing on the others: a tape that loses a step keeps most of its history.
 */
export class Chance {
  readonly #seed: number;

  /** @param seed - 0: chance decides nothing, see `isCalm` of a source */
  constructor(seed: number) {
    this.#seed = seed;
  }

  source(name: string): ChanceSource {
    return new ChanceSource(mixed(this.#seed, name), this.#seed === 0);
  }
}

/** Numbers that look random, and are the same for each seed and name. */
export class ChanceSource {
  /** Whether nothing is left to chance: everything takes the shortest time, and nothing fails. Bytes are drawn all the same. */
  readonly isCalm: boolean;
  #state: number;

  constructor(seed: number, isCalm: boolean) {
    this.#state = seed;
    this.isCalm = isCalm;
  }

  /** Returns a number from 0 to below 1. By the generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), in 32 bits. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return finished(this.#state) / 2 ** 32;
  }

  /** Whether something happens that happens in this part of all cases. */
  happens(part: number): boolean {
    return !this.isCalm && part > 0 && this.next() < part;
  }

  /** Returns a number between two, the least one if nothing is left to chance. */
  between(least: number, most: number): number {
    return this.isCalm || most <= least ? least : least + (most - least) * this.next();
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.next() * 256);
  }
}

/** Returns a whole number below 2^32 that depends on every bit of another one. */
export function finished(state: number): number {
  let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

function mixed(seed: number, name: string): number {
  let bits = seed | 0;
  for (let i = 0; i < name.length; i += 1) bits = finished(bits ^ Math.imul(name.charCodeAt(i) + 1, 0x9e3779b1)) | 0;
  return bits;
}
