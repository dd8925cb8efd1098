/** What is counted in each interval of time. */
interface TimelinePoint {
  atMs: number;
  requests: number;
  refused: number;
  refusedAgainst: number;
}

const MOST_POINTS = 300;

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

/** The lengths of intervals. Each divides the next one. */
const WIDTHS = [
  SECOND,
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  5 * DAY,
  30 * DAY,
  360 * DAY,
  3600 * DAY,
];

/** Counts over time, in at most 300 intervals, however long the time turns out to be. Times must not go back. */
export class Timeline {
  widthMs = SECOND;
  #points: TimelinePoint[] = [];

  /** Returns the point of a time. */
  at(timeMs: number): TimelinePoint {
    const last = this.#points.at(-1);
    if (last && timeMs < last.atMs + this.widthMs) return last;
    const next = emptyAt(startOf(timeMs, this.widthMs));
    this.#points.push(next);
    if (this.#isTooLong()) {
      this.#widen();
      return this.#points.at(-1) as TimelinePoint;
    }
    return next;
  }

  /** All points from the first to the last, also those without a request. */
  points(): TimelinePoint[] {
    const all: TimelinePoint[] = [];
    for (const point of this.#points) {
      const last = all.at(-1);
      for (let atMs = (last?.atMs ?? point.atMs) + this.widthMs; atMs < point.atMs; atMs += this.widthMs) {
        all.push(emptyAt(atMs));
      }
      all.push(point);
    }
    return all;
  }

  #isTooLong(): boolean {
    const [first] = this.#points;
    const last = this.#points.at(-1);
    return first !== undefined && last !== undefined && last.atMs - first.atMs >= MOST_POINTS * this.widthMs;
  }

  #widen(): void {
    const [first] = this.#points;
    const last = this.#points.at(-1);
    const spanMs = first && last ? last.atMs - first.atMs : 0;
    this.widthMs = WIDTHS.find((width) => spanMs < (MOST_POINTS - 1) * width) ?? (WIDTHS.at(-1) as number);
    const wide: TimelinePoint[] = [];
    for (const point of this.#points) {
      const atMs = startOf(point.atMs, this.widthMs);
      const sum = wide.at(-1);
      if (sum?.atMs === atMs) addTo(sum, point);
      else wide.push({ ...point, atMs });
    }
    this.#points = wide;
  }
}

function emptyAt(atMs: number): TimelinePoint {
  return { atMs, requests: 0, refused: 0, refusedAgainst: 0 };
}

function startOf(timeMs: number, widthMs: number): number {
  return timeMs - (timeMs % widthMs);
}

function addTo(sum: TimelinePoint, point: TimelinePoint): void {
  sum.requests += point.requests;
  sum.refused += point.refused;
  sum.refusedAgainst += point.refusedAgainst;
}
