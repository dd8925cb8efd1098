/** An admitted request, in milliseconds of one clock. It was decided at some moment between the two. */
interface Admitted {
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** An answer, as its client saw it. */
export interface Answer extends Admitted {
  /** What is counted together: one key of one mode, in one process where each counts by itself. */
  readonly counter: string;
  readonly isAdmitted: boolean;
}

/** Says what may be admitted of a counter in a window in which the servers lost their keys at the given times. */
type Promised = (counter: string, losses: readonly Loss[]) => number;

/** A server lost its keys, at some moment between the two. */
export interface Loss {
  readonly server: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A window in which more was admitted than promised. */
interface Excess {
  readonly counter: string;
  readonly admitted: number;
  readonly promised: number;
  readonly requests: readonly Admitted[];
}

/** A window whose ends fall within milliseconds that the store rounds. */
const ROUNDING_MS = 2;

/** So many windows are described. */
const MOST_KEPT = 20;

/**
 * Counts what was admitted of each key in each window that ends with an answer, and compares it with what is promised. It knows nothing of how the library
 * counts. Only requests that were both sent and answered within the window count: those were decided in it, however late their packets were.
 */
export class Checker {
  readonly #windowMs: number;
  readonly #promised: Promised;
  readonly #admitted = new Map<string, Admitted[]>();
  #losses: Loss[] = [];
  readonly excesses: Excess[] = [];
  /** The largest part of a promise that was used. */
  mostUsed = 0;

  constructor(windowMs: number, promised: Promised) {
    this.#windowMs = windowMs - ROUNDING_MS;
    this.#promised = promised;
  }

  /** How many counters are remembered. */
  get size(): number {
    return this.#admitted.size;
  }

  lost(loss: Loss): void {
    this.#losses.push(loss);
  }

  /** Answers have to come in their order. */
  answered({ counter, sentMs, answeredMs, isAdmitted }: Answer): void {
    if (!isAdmitted) return;
    const beginMs = answeredMs - this.#windowMs;
    const requests = (this.#admitted.get(counter) ?? []).filter((request) => request.answeredMs > beginMs);
    requests.push({ sentMs, answeredMs });
    this.#admitted.set(counter, requests);
    const within = requests.filter((request) => request.sentMs > beginMs);
    const losses = this.#losses.filter(({ fromMs, toMs }) => toMs >= beginMs && fromMs <= answeredMs);
    const promised = this.#promised(counter, losses);
    this.mostUsed = Math.max(this.mostUsed, within.length / promised);
    if (within.length <= promised || this.excesses.length === MOST_KEPT) return;
    this.excesses.push({ counter, admitted: within.length, promised, requests: within });
  }

  /** Forgets what no window can have any more. */
  forget(nowMs: number): void {
    const beginMs = nowMs - 2 * this.#windowMs;
    this.#losses = this.#losses.filter(({ toMs }) => toMs > beginMs);
    for (const [counter, requests] of this.#admitted)
      if (requests.every(({ answeredMs }) => answeredMs < beginMs)) this.#admitted.delete(counter);
  }
}
