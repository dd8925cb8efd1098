import { seededRandom } from '@sluice/test-kit/seeded-random';

/** Chooses by a seed: the same seed makes the same requests. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** A whole number from 0 to one less than `sides`. */
  roll(sides: number): number {
    return Math.floor(this.#next() * sides);
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.roll(times) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.roll(choices.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.roll(256)));
  }
}
