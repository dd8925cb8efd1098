import type { DurationHistogram } from '@sluice/core';

/** How many values were how large, since the process started. */
export interface Histogram {
  /** The largest value of each bucket but the last, which has no end. */
  readonly upTo: readonly number[];
  /** How many values each bucket has. */
  readonly counts: readonly number[];
  /** All values together. */
  readonly sum: number;
}

/** Durations of the core, in the unit of metrics. */
export function inSeconds({ upToMs, counts, sumMs }: DurationHistogram): Histogram {
  return { upTo: upToMs.map((ms) => ms / 1000), counts, sum: sumMs / 1000 };
}

/** Counts values in buckets. */
export class Recorder {
  readonly #upTo: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param upTo - the ends of the buckets, in ascending order */
  constructor(upTo: readonly number[]) {
    this.#upTo = upTo;
    this.#counts = new Array<number>(upTo.length + 1).fill(0);
  }

  add(value: number): void {
    const found = this.#upTo.findIndex((most) => value <= most);
    const bucket = found < 0 ? this.#upTo.length : found;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  read(): Histogram {
    return { upTo: this.#upTo, counts: [...this.#counts], sum: this.#sum };
  }
}
