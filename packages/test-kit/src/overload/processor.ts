/** The processor is taken away for a part of each period. */
export interface Slices {
  readonly everyMs: number;
  readonly takenMs: number;
  /**
   * Which part: the first one, as a noisy neighbour does, or what is left of the period once the process has worked for the rest of
   * it, as a quota does. Default: `'first'`.
   */
  readonly part?: 'first' | 'after work';
}

/** One processor, which may be taken away from the process in slices. */
export class Processor {
  readonly #slices: Slices | undefined;
  /** The current period, and for how long the process has worked in it: a quota asks. */
  #period = 0;
  #workedMs = 0;

  constructor(slices?: Slices) {
    this.#slices = slices;
  }

  /** The first moment, not before `nowMs`, at which the process runs. */
  runsFrom(nowMs: number): number {
    if (!this.#slices) return nowMs;
    const { everyMs, takenMs, part } = this.#slices;
    const period = Math.floor(nowMs / everyMs);
    if (part !== 'after work') return Math.max(nowMs, period * everyMs + takenMs);
    return this.#workedIn(period) < everyMs - takenMs ? nowMs : (period + 1) * everyMs;
  }

  /** When work that begins at `nowMs` ends. It is called in the order of time, once for each work. */
  endOf(workMs: number, nowMs: number): number {
    if (!this.#slices) return nowMs + workMs;
    const { everyMs, takenMs, part } = this.#slices;
    let leftMs = workMs;
    for (let fromMs = this.runsFrom(nowMs); ; fromMs = this.runsFrom(fromMs)) {
      const period = Math.floor(fromMs / everyMs);
      const periodLeftMs = (period + 1) * everyMs - fromMs;
      const quotaLeftMs = part === 'after work' ? everyMs - takenMs - this.#workedIn(period) : Number.POSITIVE_INFINITY;
      const runsMs = Math.min(leftMs, periodLeftMs, quotaLeftMs);
      this.#workedMs += runsMs;
      leftMs -= runsMs;
      if (leftMs <= 0) return fromMs + runsMs;
      fromMs = runsMs === periodLeftMs ? (period + 1) * everyMs : fromMs + runsMs;
    }
  }

  #workedIn(period: number): number {
    if (period !== this.#period) {
      this.#period = period;
      this.#workedMs = 0;
    }
    return this.#workedMs;
  }
}
