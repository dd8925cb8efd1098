// Why it is so: core/docs/why/load-shedding.md

import type { InFlightLimit, LimitBounds } from './in-flight-limit.js';
import { LatencyWindow } from './latency-window.js';

/** How far below and above its centre the limit is tried. */
const SPREAD = 0.15;
/** More are let in while the latency grows by less than this power of the number in flight. */
const KNEE = 0.75;
/** The step is smaller within this distance of the knee. */
const NEAR = 0.5;
const STEP = 0.15;
/** Far above the knee, steps down are so many times as large: the limit must not stay where nobody gets a quick answer. */
const STEEPEST_DOWN = 1.5;
/** Steps grow by this part of the first one while they all go the same way, and up to this many first steps. */
const LONGER = 0.25;
const LONGEST = 2;
/** Until the limit has gone too far, or is large enough: how it grows with each window. */
const START = 1.5;
/** If less than this part more is in flight after such a step, the limit was not what held it. */
const START_GREW = 1.25;
/** A limit that refuses less than this part of the requests does not bind. */
const BINDING = 0.03;
/** By what part a limit grows that refuses some requests without binding, besides one. */
const LOOSER = 0.05;
/** Without binding, it grows at most to so many times what the last latencies said. */
const LOOSEST = 1.8;
/** How long the refusals are counted. */
const WATCH_MS = 100;
/** Requests in flight that can wait for each other, in the mean. */
const SEVERAL = 1.5;
/** Two windows must differ by this factor in flight to say anything. */
const DIFFERENCE = 1.12;

/** How many requests make a window. */
const SAMPLES = 200;
/** The same where the limit may be far from the knee: an answer that comes soon is worth more than an exact one. */
const FEWER_SAMPLES = 60;
/** The same for the first window, which only measures how long requests take. */
const FIRST_SAMPLES = 20;
/** A window begins after so many latencies: then nearly all that were admitted before it have ended. */
const SETTLE_LATENCIES = 2;
const MOST_SETTLE_MS = 1000;

/**
 * Finds the number in flight beyond which more requests only wait longer, without knowing what latency is good.
 *
 * While the limit binds, it is tried a little lower and a little higher, in turns. The elasticity
 * `e = ln(latency2 / latency1) / ln(inFlight2 / inFlight1)` says what more requests in flight did: 0 if each was as fast as
 * before, so there was room; 1 if all of them only waited longer. The limit goes up where `e` is below 3/4, and else down.
 * At the start it grows by half instead, until `e` says that the last step was too much.
 *
 * Kleinrock's power, throughput over latency, is largest where `e` is 1/2 ("Power and deterministic rules of thumb for
 * probabilistic problems in computer communications", 1979). At 3/4 a server answers a little more, and a little later.
 *
 * It is the default. No latency is compared with one of long ago, so nothing can go wrong with it: when the world gets
 * slower, or faster, the next two windows say so. The limit neither falls nor rises while nothing is refused, because then
 * nothing can be learned.
 */
export class Knee implements InFlightLimit {
  readonly #max: number;
  #center: number;
  #limit: number;
  /** Since when refusals are counted, while nothing is measured. */
  #watchSinceMs = Number.NEGATIVE_INFINITY;
  #admitted = 0;
  #refused = 0;
  /** What is measured now; undefined while the limit does not bind. */
  #window: LatencyWindow | undefined;
  /** The other window of the pair, once it is over. */
  #windowBefore: LatencyWindow | undefined;
  #triesMore = false;
  #elasticity: number | undefined;
  #isStarting = true;
  /** Whether the limit has moved, or the load, since latencies were last compared. */
  #mayBeFar = true;
  /** The center after the last step that latencies asked for. */
  #learnedCenter = Number.POSITIVE_INFINITY;
  /** The latency of the last window; 0 before the first. */
  #latencyMs = 0;
  #direction = 0;
  #repeated = 0;

  constructor({ initial, max }: LimitBounds) {
    this.#center = initial;
    this.#limit = initial;
    this.#max = max;
  }

  get limit(): number {
    return this.#limit;
  }

  get center(): number {
    return Math.max(1, Math.round(this.#center));
  }

  get needsTimes(): boolean {
    return this.#window !== undefined;
  }

  admitted(): void {
    this.#admitted += 1;
  }

  refused(nowMs: number): void {
    this.#refused += 1;
    const window = this.#window;
    if (window) {
      // Requests that never end must not leave the limit where it is tried.
      if (window.isOver(nowMs)) this.#endWindow(window, nowMs);
    } else if (nowMs - this.#watchSinceMs >= WATCH_MS) {
      if (this.#binds()) this.#measure(nowMs);
      else this.#loosen(nowMs);
    }
  }

  done(nowMs: number, startedMs: number, waitedMs: number, inFlight: number): void {
    const window = this.#window;
    if (!window) return;
    window.add(nowMs, startedMs, waitedMs, inFlight);
    if (window.isOver(nowMs)) this.#endWindow(window, nowMs);
  }

  #binds(): boolean {
    return this.#refused > BINDING * (this.#admitted + this.#refused);
  }

  /** Ends measuring. A limit that refuses only few requests may be higher. */
  #loosen(nowMs: number): void {
    if (this.#refused > 0) this.#raise();
    this.#mayBeFar = true;
    this.#window = undefined;
    this.#windowBefore = undefined;
    this.#setLimit(this.#center);
    this.#count(nowMs);
  }

  /** Goes up without being asked to by latencies, as far as the last of them allow. */
  #raise(): void {
    const most = Math.min(this.#max, LOOSEST * this.#learnedCenter);
    this.#center = Math.max(this.#center, Math.min(most, this.#center * (1 + LOOSER) + 1));
  }

  #count(nowMs: number): void {
    this.#watchSinceMs = nowMs;
    this.#admitted = 0;
    this.#refused = 0;
  }

  /** Begins a window: at the start with the limit as it is, later with less or more in flight. */
  #measure(nowMs: number): void {
    const less = Math.max(1, Math.floor(this.#center * (1 - SPREAD)));
    const more = Math.max(less + 1, Math.ceil(this.#center * (1 + SPREAD)));
    this.#setLimit(this.#isStarting ? this.#center : this.#triesMore ? more : less);
    this.#window = new LatencyWindow(nowMs, {
      settleMs: Math.min(MOST_SETTLE_MS, SETTLE_LATENCIES * this.#latencyMs),
      samples: this.#latencyMs === 0 ? FIRST_SAMPLES : this.#isStarting || this.#mayBeFar ? FEWER_SAMPLES : SAMPLES,
    });
    this.#count(nowMs);
  }

  #endWindow(window: LatencyWindow, nowMs: number): void {
    const isFirst = this.#latencyMs === 0;
    this.#latencyMs = window.latencyMs;
    if (!this.#binds()) {
      this.#endStart();
      this.#loosen(nowMs);
      return;
    }
    if (!isFirst) this.#compare(window);
    this.#measure(nowMs);
  }

  #compare(window: LatencyWindow): void {
    const first = this.#windowBefore;
    if (this.#isStarting) {
      this.#start(first, window);
    } else if (first === undefined) {
      this.#windowBefore = window;
      this.#triesMore = !this.#triesMore;
    } else {
      // The next pair begins on this side, so that a latency that changes with time counts in both directions.
      this.#windowBefore = undefined;
      this.#learn(first, window);
    }
  }

  /** Grows the limit by half until that was too much, or no more come. */
  #start(before: LatencyWindow | undefined, after: LatencyWindow): void {
    const hasGrown = before === undefined || after.inFlight >= START_GREW * before.inFlight;
    const isTooMuch = before !== undefined && hasGrown && elasticityOf(before, after) >= KNEE;
    this.#isStarting = hasGrown && !isTooMuch;
    this.#windowBefore = this.#isStarting ? after : undefined;
    if (isTooMuch) this.#scale(1 / START);
    this.#learnedCenter = this.#center;
    if (this.#isStarting) this.#scale(START);
  }

  /** Takes back the last step of the start, of which nothing has been learned. */
  #endStart(): void {
    if (!this.#isStarting) return;
    this.#isStarting = false;
    this.#center = Math.min(this.#center, this.#learnedCenter);
  }

  #learn(one: LatencyWindow, other: LatencyWindow): void {
    this.#mayBeFar = false;
    const [less, more] = one.inFlight < other.inFlight ? [one, other] : [other, one];
    if (more.inFlight < less.inFlight * DIFFERENCE) {
      // One request at a time says nothing about several: a class that leaves most of a small limit free has no more.
      if (more.inFlight < SEVERAL) this.#learnedCenter = Number.POSITIVE_INFINITY;
      // The limit hardly changes what is in flight, so a higher one does no harm.
      this.#raise();
      return;
    }
    this.#adapt(elasticityOf(less, more));
    this.#learnedCenter = this.#center;
  }

  /** Goes up or down in small steps, by the smoothed elasticity. */
  #adapt(elasticity: number): void {
    this.#elasticity = ((this.#elasticity ?? elasticity) + elasticity) / 2;
    const distance = this.#elasticity - KNEE;
    const direction = distance < 0 ? 1 : -1;
    this.#repeated = direction === this.#direction ? this.#repeated + 1 : 0;
    this.#direction = direction;
    const steepness = Math.min(direction < 0 ? STEEPEST_DOWN : 1, Math.abs(distance) / NEAR);
    const size = steepness * Math.min(LONGEST, 1 + LONGER * this.#repeated);
    this.#scale(1 + direction * STEP * size);
  }

  #scale(factor: number): void {
    this.#center = Math.min(this.#max, Math.max(1, this.#center * factor));
  }

  #setLimit(limit: number): void {
    this.#limit = Math.min(this.#max, Math.max(1, Math.round(limit)));
  }
}

/** By which power of the number in flight the latency grew from one window to the other. */
function elasticityOf(less: LatencyWindow, more: LatencyWindow): number {
  const measured = Math.log(more.latencyMs / less.latencyMs) / Math.log(more.inFlight / less.inFlight);
  return Math.min(2, Math.max(-1, measured));
}
