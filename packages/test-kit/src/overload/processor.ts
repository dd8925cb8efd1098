/** The processor is taken away for the first part of each period: a quota, or a noisy neighbour. */
export interface Slices {
  readonly everyMs: number;
  readonly takenMs: number;
}

/** One processor, which may be taken away from the process in slices. */
export class Processor {
  readonly #slices: Slices | undefined;

  constructor(slices?: Slices) {
    this.#slices = slices;
  }

  /** The first moment, not before `nowMs`, at which the process runs. */
  runsFrom(nowMs: number): number {
    if (!this.#slices) return nowMs;
    const { everyMs, takenMs } = this.#slices;
    const startMs = Math.floor(nowMs / everyMs) * everyMs;
    return Math.max(nowMs, startMs + takenMs);
  }

  /** When work that begins at `nowMs` ends. */
  endOf(workMs: number, nowMs: number): number {
    if (!this.#slices) return nowMs + workMs;
    const { everyMs } = this.#slices;
    let leftMs = workMs;
    for (let fromMs = this.runsFrom(nowMs); ; fromMs = this.runsFrom(fromMs)) {
      const sliceEndMs = (Math.floor(fromMs / everyMs) + 1) * everyMs;
      if (fromMs + leftMs <= sliceEndMs) return fromMs + leftMs;
      leftMs -= sliceEndMs - fromMs;
      fromMs = sliceEndMs;
    }
  }
}
