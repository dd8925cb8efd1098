import { Chance } from '../../world/chance.js';

/** Draws what a tape is made of. The same seed draws the same, in the same order. */
export class Draws {
  readonly #next: () => number;

  constructor(seed: number) {
    const source = new Chance(seed).source('tape');
    this.#next = () => source.next();
  }

  /** Returns a seed for something else, above 0. */
  seed(): number {
    return this.whole(1, 2 ** 31 - 1);
  }

  /** Returns a number from 0 to below 1. */
  part(): number {
    return this.#next();
  }

  /** Whether something happens that happens in this part of all cases. */
  happens(part: number): boolean {
    return this.#next() < part;
  }

  /** Returns a whole number between two, which it may be itself. All are as likely. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#next() * (Math.max(least, most) - least + 1));
  }

  /** Returns a whole number between two. All orders of magnitude are as likely: as many are from 1 to 10 as from 10 to 100. */
  scaled(least: number, most: number): number {
    const [from, to] = [Math.ceil(least), Math.floor(most)];
    return to <= from ? from : Math.min(to, Math.max(from, Math.round(from * (to / from) ** this.#next())));
  }

  /** Returns one of a list. */
  of<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[Math.floor(this.#next() * list.length)] as T;
  }

  /** Returns one of a list, each as often as its weight says. */
  weighted<T>(list: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.#next() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of list) {
      left -= weight;
      if (left < 0) return item;
    }
    return (list.at(-1) as readonly [number, T])[1];
  }

  /** Returns some of a list, in its order: each with the same chance, at least one. */
  some<T>(list: readonly T[], part = 0.5): readonly T[] {
    const found = list.filter(() => this.happens(part));
    return found.length > 0 || list.length === 0 ? found : [this.of(list)];
  }
}
