import { type RequestTimeout, requestTimeoutOf } from '@sluice/core/src/stores/request-timeout';
import type { LimitCheck, StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import type { Verdict } from '@sluice/core/src/values/decision';
import { laterVerdict } from '../in-front/derived-response.js';
import { haveSameNumbers } from '../in-front/request-kind.js';

/**
 * Units that were taken from a store in advance, on every check of one kind of request, to be spent in this process.
 */
export class Slice {
  /** The checks that the units were taken with. They are given back with the same numbers. */
  readonly checks: readonly LimitCheck[];
  /** How many units were taken. */
  readonly units: number;
  /** How long whoever took them waited. */
  readonly requestTimeout: RequestTimeout;
  readonly #response: StoreResponse;
  readonly #askedMs: number;
  readonly #endMs: number;
  #left: number;

  /**
   * Holds the units that a response took on the checks of a request. They were asked for at `askedMs` and can be spent until `endMs`.
   */
  constructor(request: StoreRequest, response: StoreResponse, askedMs: number, endMs: number) {
    this.checks = request.checks;
    this.requestTimeout = requestTimeoutOf(request);
    // A request for the units of one caller alone takes these, or none.
    this.units = response.taken ?? request.checks[0]?.cost ?? 0;
    this.#response = response;
    this.#left = this.units;
    this.#askedMs = askedMs;
    this.#endMs = endMs;
  }

  /** The store's time of the charge. */
  get atMs(): number {
    return this.#response.atMs;
  }

  /** The units that are not spent yet. */
  get left(): number {
    return this.#left;
  }

  /** The units that the store had left after this slice. */
  get remainingThere(): number {
    return Math.min(...this.#response.verdicts.map(({ remaining }) => remaining));
  }

  /** How long ago the units were asked for; 0 if the clock went back. */
  ageMs(nowMs: number): number {
    return Math.max(0, nowMs - this.#askedMs);
  }

  isOver(nowMs: number): boolean {
    // If the clock went back, nobody knows how much time has passed.
    return nowMs >= this.#endMs || nowMs < this.#askedMs;
  }

  has(cost: number, nowMs: number): boolean {
    return cost <= this.#left && !this.isOver(nowMs);
  }

  /**
   * Whether the units were taken with the same numbers. If a limit is changed, units of the old numbers are not spent
   * any more.
   */
  hasNumbersOf(checks: readonly LimitCheck[]): boolean {
    return haveSameNumbers(checks, this.checks);
  }

  /** Spends units, and replies as the store would, as far as its last response tells. */
  spend(checks: readonly LimitCheck[], cost: number, nowMs: number): StoreResponse {
    this.#left -= cost;
    const agoMs = nowMs - this.#askedMs;
    const { atMs, verdicts } = this.#response;
    const own = new Array<Verdict>(checks.length);
    for (let i = 0; i < checks.length; i += 1) {
      const there = verdicts[i] as Verdict;
      own[i] = laterVerdict(checks[i] as LimitCheck, there, 0 - this.#left, true, agoMs);
    }
    return { atMs, allowed: true, verdicts: own };
  }
}
