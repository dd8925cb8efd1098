import type { LoggedRequest } from './logged-request.js';

/** Requests that began in one second, in the order of their beginnings. */
type VisitSecond = (second: number, requests: readonly LoggedRequest[]) => void;

interface StartOrderOptions {
  /**
   * How long requests are held back, at least and at most. Between the two, it is four times as long as a request has been
   * written after its place so far. A line that was written longer than the most before one above it is misplaced.
   */
  readonly leastMs: number;
  readonly mostMs: number;
  /** How many requests are held back at most, so that memory is bounded. */
  readonly most: number;
}

/** A request may be this much farther from its place than all before it. */
const LENGTHS = 4;

/**
 * Puts requests in the order in which they began. Their lines are in the order in which they ended. A request is held back
 * until no line can come any more, within the horizon, of one that began before it.
 */
export class StartOrder {
  /** How many requests came too late for their place. They are visited in the second of the next one. */
  late = 0;
  /** How many requests were not visited, because their lines stand far below where they belong. */
  misplaced = 0;
  readonly #options: StartOrderOptions;
  readonly #visit: VisitSecond;
  readonly #seconds = new Map<number, LoggedRequest[]>();
  #held = 0;
  /** The second that was held back for the longest time: the next one to visit. */
  #oldest = Number.POSITIVE_INFINITY;
  /** The first second that was not visited yet. */
  #next = Number.NEGATIVE_INFINITY;
  #newest: number = Number.NEGATIVE_INFINITY;
  #horizonMs: number;
  #lastSecond = Number.NaN;
  #lastRequests: LoggedRequest[] = [];

  constructor(options: StartOrderOptions, visit: VisitSecond) {
    this.#options = options;
    this.#horizonMs = options.leastMs;
    this.#visit = visit;
  }

  add(request: LoggedRequest): void {
    // How far it is from its place: how long it took, and how much later its line stands than it was written.
    const behindMs = Math.max(request.writtenMs, this.#newest) - request.atMs;
    if (behindMs * LENGTHS > this.#horizonMs) this.#horizonMs = Math.min(behindMs * LENGTHS, this.#options.mostMs);
    let second = Math.floor(request.atMs / 1000);
    if (second < this.#next) {
      // Its time has passed. Thousands of them, as of a log in a wrong order, would all come in the same second.
      if (request.writtenMs < this.#newest - this.#options.mostMs) {
        this.misplaced += 1;
        return;
      }
      this.late += 1;
      second = this.#next;
      request.atMs = second * 1000;
    }
    if (second !== this.#lastSecond) this.#turnTo(second);
    this.#lastRequests.push(request);
    this.#held += 1;
    if (request.writtenMs > this.#newest) {
      this.#newest = request.writtenMs;
      this.#release();
    }
    if (this.#held > this.#options.most) this.#visitOldest();
  }

  /** Visits all that is held back. */
  end(): void {
    while (this.#held > 0) this.#visitOldest();
  }

  #turnTo(second: number): void {
    const held = this.#seconds.get(second) ?? [];
    if (held.length === 0) this.#seconds.set(second, held);
    if (second < this.#oldest) this.#oldest = second;
    this.#lastSecond = second;
    this.#lastRequests = held;
  }

  #release(): void {
    const before = Math.floor((this.#newest - this.#horizonMs) / 1000);
    while (this.#oldest < before) this.#visitOldest();
  }

  #visitOldest(): void {
    const second = this.#oldest;
    const requests = this.#seconds.get(second) ?? [];
    this.#seconds.delete(second);
    this.#held -= requests.length;
    this.#next = second + 1;
    this.#oldest = Number.POSITIVE_INFINITY;
    for (const held of this.#seconds.keys()) if (held < this.#oldest) this.#oldest = held;
    this.#lastSecond = Number.NaN;
    sortByStart(requests);
    this.#visit(second, requests);
  }
}

/** Sorts in place. Requests of the same time stay in the order of their lines. */
function sortByStart(requests: LoggedRequest[]): void {
  for (let i = 1; i < requests.length; i += 1) {
    if ((requests[i] as LoggedRequest).atMs < (requests[i - 1] as LoggedRequest).atMs) {
      requests.sort((a, b) => a.atMs - b.atMs);
      return;
    }
  }
}
