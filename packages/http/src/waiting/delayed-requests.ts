// Why it is so: core/docs/why/waiting.md

import type { Clock } from '@sluice/core/src/values/clock';
import { IS_REQUEST_BOUND } from '@sluice/core/src/values/request-bound';

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
 * No key can keep all places: if there is none left, a request of the key with most of them gives way. In a Worker it stays: another request
 * cannot end its wait.
 */
export class DelayedRequests {
  readonly #clock: Clock;
  #most: number;
  /** Each with the time until which it waits, in the order in which they came. */
  readonly #delayed = new Map<DelayedRequest, number>();
  /** How many of them wait for each key. Kept, because an attacker asks for room again and again while there is none. */
  readonly #counts = new Map<string, number>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** How many requests are delayed now. */
  get size(): number {
    return this.#delayed.size;
  }

  /** Changes how many of them wait at most from now on. Those that wait already stay. */
  bound(most: number): void {
    this.#most = most;
  }

  /** Adds a request, and returns the function that removes it; undefined if there is no room for it. */
  add(request: DelayedRequest): (() => void) | undefined {
    const nowMs = this.#clock.now();
    if (this.#delayed.size >= this.#most) this.#removeOver(nowMs);
    if (this.#delayed.size >= this.#most && (IS_REQUEST_BOUND || !this.#makeRoomFor(request))) return undefined;
    this.#delayed.set(request, nowMs + request.delayMs);
    for (const key of new Set(request.keys)) this.#counts.set(key, this.#countOf(key) + 1);
    return () => this.#remove(request);
  }

  #remove(request: DelayedRequest): void {
    if (!this.#delayed.delete(request)) return;
    for (const key of new Set(request.keys)) {
      const count = this.#countOf(key) - 1;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #removeOver(nowMs: number): void {
    for (const [request, untilMs] of this.#delayed) if (untilMs < nowMs) this.#remove(request);
  }

  /** Lets the newest request of the key with most requests give way, if that key has more than the newcomer's would have. */
  #makeRoomFor(newcomer: DelayedRequest): boolean {
    let most = 0;
    let leaving: DelayedRequest | undefined;
    for (const request of this.#delayed.keys()) {
      const count = this.#crowd(request, newcomer);
      if (count < most || count <= this.#crowd(newcomer, request, 1)) continue;
      most = count;
      leaving = request;
    }
    if (leaving === undefined) return false;
    this.#remove(leaving);
    leaving.giveWay();
    return true;
  }

  /**
   * How many requests wait for the same key as this one, by that of its keys which has most, and `more`. Keys that the other one
   * has, too, say nothing between the two: a limit for everyone has one key.
   */
  #crowd({ keys }: DelayedRequest, other: DelayedRequest, more = 0): number {
    let most = 0;
    for (const key of keys) if (!other.keys.includes(key)) most = Math.max(most, this.#countOf(key) + more);
    return most;
  }
}
