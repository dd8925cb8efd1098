import type { Clock } from '../values/clock.js';

/** A request that waits. */
export interface DelayedRequest {
  /** How long it waits at most. */
  readonly delayMs: number;
  /** The keys that its limits count. */
  readonly keys: readonly string[];
  /** Called if it has to give its place to another request. From then on it is not counted here. */
  giveWay(): void;
}

/**
 * The requests of one policy that wait in this process, because of `slowDown` or `maxWait`. Their number is limited,
 * because each of them holds a connection.
 * A request whose time has come no longer counts, even if nobody has reported its end.
 *
 * No key can keep all places: if there is none left, a request of the key with most of them gives way. See
 * `docs/decisions/093-full-waiting-rooms.md`.
 */
export class DelayedRequests {
  readonly #clock: Clock;
  readonly #most: number;
  /** Each with the time until which it waits, in the order in which they came. */
  readonly #delayed = new Map<DelayedRequest, number>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** How many requests are delayed now. */
  get size(): number {
    return this.#delayed.size;
  }

  /** Adds a request, and returns the function that removes it; undefined if there is no room for it. */
  add(request: DelayedRequest): (() => void) | undefined {
    const nowMs = this.#clock.now();
    if (this.#delayed.size >= this.#most) this.#removeOver(nowMs);
    if (this.#delayed.size >= this.#most && !this.#makeRoomFor(request)) return undefined;
    this.#delayed.set(request, nowMs + request.delayMs);
    return () => void this.#delayed.delete(request);
  }

  #removeOver(nowMs: number): void {
    for (const [request, untilMs] of this.#delayed) if (untilMs < nowMs) this.#delayed.delete(request);
  }

  /** Lets the newest request of the key with most requests give way, if that key has more than the newcomer's would have. */
  #makeRoomFor(newcomer: DelayedRequest): boolean {
    const counts = countsByKey([newcomer, ...this.#delayed.keys()]);
    let most = 0;
    let leaving: DelayedRequest | undefined;
    for (const request of this.#delayed.keys()) {
      const count = crowd(request, newcomer, counts);
      if (count < most || count <= crowd(newcomer, request, counts)) continue;
      most = count;
      leaving = request;
    }
    if (leaving === undefined) return false;
    this.#delayed.delete(leaving);
    leaving.giveWay();
    return true;
  }
}

function countsByKey(requests: readonly DelayedRequest[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { keys } of requests) for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * How many requests wait for the same key as this one, by that of its keys which has most. Keys that the other one has, too, say
 * nothing between the two: a limit for everyone has one key.
 */
function crowd(request: DelayedRequest, other: DelayedRequest, counts: ReadonlyMap<string, number>): number {
  let most = 0;
  for (const key of request.keys) if (!other.keys.includes(key)) most = Math.max(most, counts.get(key) ?? 0);
  return most;
}
