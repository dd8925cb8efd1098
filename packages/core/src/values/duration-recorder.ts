import { CHANNELS, type Timed } from './events.js';

/** How many durations were how long, since the process started. */
export interface DurationHistogram {
  /** The largest duration of each bucket but the last, in milliseconds. The last bucket has no end. */
  readonly upToMs: readonly number[];
  /** How many durations each bucket has. A duration is in the first bucket that is long enough. */
  readonly counts: readonly number[];
  /** All durations together, in milliseconds. */
  readonly sumMs: number;
}

/** Counts durations in buckets. It is a histogram that somebody else may read at any time, or hear of. */
export class DurationRecorder {
  readonly #of: Timed;
  readonly #upToMs: readonly number[];
  readonly #counts: number[];
  #sumMs = 0;

  /**
   * @param of - what takes so long
   * @param upToMs - the ends of the buckets, in ascending order
   */
  constructor(of: Timed, upToMs: readonly number[]) {
    this.#of = of;
    this.#upToMs = upToMs;
    this.#counts = new Array<number>(upToMs.length + 1).fill(0);
  }

  add(ms: number): void {
    const upToMs = this.#upToMs;
    let bucket = 0;
    while (bucket < upToMs.length && ms > (upToMs[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sumMs += ms;
    const channel = CHANNELS['sluice:duration'];
    if (channel.hasSubscribers) channel.publish({ ...this.#of, durationMs: ms });
  }

  /** Adds what another one with the same buckets has counted. */
  addAll(other: DurationRecorder): void {
    for (const [bucket, count] of other.#counts.entries())
      this.#counts[bucket] = (this.#counts[bucket] as number) + count;
    this.#sumMs += other.#sumMs;
  }

  read(): DurationHistogram {
    return { upToMs: this.#upToMs, counts: [...this.#counts], sumMs: this.#sumMs };
  }
}
