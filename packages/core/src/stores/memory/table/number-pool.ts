import { type Page, Slab } from './slab.js';

/** The smallest blocks have 6 numbers, the largest 96. Each kind has twice as many as the kind before. */
const SMALLEST = 6;
const KINDS = 5;

/**
 * A page has `2^PAGE_SHIFT` of the smallest blocks, or half as many of the next kind: always the same number of
 * numbers.
 */
const PAGE_SHIFT = 10;

/**
 * Room for lists of numbers, in blocks of a few sizes. The number of a block and the length of its list identify the
 * block.
 */
export class NumberPool {
  readonly #slabs = Array.from({ length: KINDS }, (_, kind) => new Slab(SMALLEST << kind, PAGE_SHIFT - kind));

  /** The longest list that has a block. */
  static readonly LARGEST = SMALLEST << (KINDS - 1);

  /** Whether lists of these two lengths use blocks of the same kind. */
  static areAlike(one: number, other: number): boolean {
    return one === other || kindOf(one) === kindOf(other);
  }

  take(length: number): number {
    return this.#slabOf(length).take();
  }

  release(block: number, length: number): void {
    this.#slabOf(length).release(block);
  }

  /** Returns the array that holds the block's numbers; they begin at `offset`. */
  numbers(block: number, length: number): Float64Array {
    const page = this.#slabOf(length).pages[block >>> (PAGE_SHIFT - kindOf(length))] as Page;
    return page.numbers;
  }

  offset(block: number, length: number): number {
    const kind = kindOf(length);
    return (block & ((1 << (PAGE_SHIFT - kind)) - 1)) * (SMALLEST << kind);
  }

  clear(): void {
    for (const slab of this.#slabs) slab.clear();
  }

  #slabOf(length: number): Slab {
    return this.#slabs[kindOf(length)] as Slab;
  }
}

function kindOf(length: number): number {
  return 32 - Math.clz32(Math.trunc((length - 1) / SMALLEST));
}
