import { PRIORITIES } from '@sluice/core/src/values/priority';
import type { Share, TenantOptions } from './fair-shares.js';
import type { InFlightLimit } from './in-flight-limit.js';
import type { LoopAge } from './loop-age.js';
import { PlaceShares } from './place-shares.js';
import type { Permit } from './shedder.js';

/** The rank of the class that most requests are of. */
const NORMAL = PRIORITIES.indexOf('normal');

/** More than what is lost when a share is computed in binary. */
const ROUNDING = 1e-9;

/** The requests in flight, their permits, and the limit that learns from them. */
export class InFlight {
  readonly #loop: LoopAge;
  readonly #limit: InFlightLimit | undefined;
  readonly #classParts: readonly number[];
  readonly #tenantOptions: TenantOptions;
  /** Made for the first request of a tenant. */
  #placeShares: PlaceShares | undefined;
  /** How many take a place under the limit, and how many do not now. */
  #placed = 0;
  #paused = 0;
  #isAsked = false;
  #onLearned: () => void = () => {};

  /**
   * @param limit - undefined if requests in flight are not limited
   * @param classParts - the part of the limit that each class may use, by rank
   */
  constructor(
    loop: LoopAge,
    limit: InFlightLimit | undefined,
    classParts: readonly number[],
    tenantOptions: TenantOptions = {},
  ) {
    this.#loop = loop;
    this.#limit = limit;
    this.#classParts = classParts;
    this.#tenantOptions = tenantOptions;
  }

  get count(): number {
    return this.#placed + this.#paused;
  }

  get placed(): number {
    return this.#placed;
  }

  get limit(): number {
    return this.#limit?.limit ?? Number.POSITIVE_INFINITY;
  }

  /** The limit without the small changes by which it is tried. */
  get center(): number {
    return this.#limit?.center ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a request has ever needed a place. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /**
   * Calls the listener whenever the limit may have changed. That is never while nothing is refused or learned, so a calm request does not
   * pay for it.
   */
  onLearned(listener: () => void): void {
    this.#onLearned = listener;
  }

  /** Counts a request of a tenant at the time of the last reading, and returns the share of the tenant. */
  asked(tenant: string): Share {
    this.#placeShares ??= new PlaceShares(this.#tenantOptions, () => this.#usual);
    return this.#placeShares.asked(tenant, this.#loop.nowMs);
  }

  /**
   * Whether there is a place for a request of this class. Every class may have one, or it could never run. Above the part of its
   * tenant, a request leaves free what tenants within their parts may need soon.
   */
  hasRoom(rank: number, share?: Share): boolean {
    this.#isAsked = true;
    const limit = this.#limit;
    if (!limit) return true;
    const placeShares = this.#placeShares;
    const places = limit.limit * (this.#classParts[rank] as number);
    if (!share || !placeShares?.isAbove(share, rank)) return this.#placed < Math.max(1, Math.floor(places + ROUNDING));
    return this.#placed < Math.min(places, this.#usual) - placeShares.reserveBeside(share);
  }

  /** The places that all but critical requests use. */
  get #usual(): number {
    return this.limit * (this.#classParts[NORMAL] as number);
  }

  /** Counts a request that was refused for want of room, at the time of the last reading. */
  refused(): void {
    const limit = this.#limit;
    if (!limit) return;
    limit.refused(this.#loop.nowMs);
    this.#onLearned();
  }

  /** Counts a request that was admitted at the time of the last reading. */
  admitted(share?: Share): Permit {
    const limit = this.#limit;
    limit?.admitted();
    this.#placed += 1;
    if (share) {
      share.admitted += 1;
      share.placed += 1;
    }
    return new RequestPermit(this, true, limit?.needsTimes ? this.#loop.nowMs : Number.NaN, this.#placed, share);
  }

  /** Counts a request that gives no sample. */
  exempt(): Permit {
    this.#placed += 1;
    return new RequestPermit(this, false, Number.NaN, 0, undefined);
  }

  /**
   * An admitted request has been answered.
   *
   * @param startedMs - when its sample began; NaN if it gives none
   * @param inFlightAtStart - how many requests were in flight then
   */
  done(startedMs: number, inFlightAtStart: number, share: Share | undefined): void {
    const limit = this.#limit;
    if (limit && !Number.isNaN(startedMs)) {
      const loop = this.#loop;
      loop.read();
      // A request waits for those that were there when it came, and shares with those that came later.
      limit.done(loop.nowMs, startedMs, loop.ageMs, (inFlightAtStart + this.#placed) / 2);
      this.#onLearned();
    }
    this.#leave(share);
  }

  /** A paused request has ended. */
  donePaused(): void {
    this.#paused -= 1;
  }

  pause(share: Share | undefined): void {
    this.#leave(share);
    this.#paused += 1;
  }

  #leave(share: Share | undefined): void {
    this.#placed -= 1;
    if (share) share.placed -= 1;
  }

  /** A request takes a place again. Returns its share: the tenant of one that has waited for long may have been forgotten. */
  resume(share: Share | undefined): Share | undefined {
    this.#paused -= 1;
    this.#placed += 1;
    const present = share && this.#placeShares?.present(share);
    if (present) present.placed += 1;
    return present;
  }

  /** When a sample begins that begins now; NaN if none is needed. */
  get sampleMs(): number {
    if (!this.#limit?.needsTimes) return Number.NaN;
    this.#loop.read();
    return this.#loop.nowMs;
  }
}

/** The permit of one request. It is the only object that is made for a request. */
class RequestPermit implements Permit {
  /** Undefined once the request has ended. */
  #inFlight: InFlight | undefined;
  readonly #givesSample: boolean;
  #startedMs: number;
  #inFlightAtStart: number;
  /** Undefined for a request of no tenant. */
  #share: Share | undefined;
  #isPaused = false;

  constructor(
    inFlight: InFlight,
    givesSample: boolean,
    startedMs: number,
    inFlightAtStart: number,
    share: Share | undefined,
  ) {
    this.#inFlight = inFlight;
    this.#givesSample = givesSample;
    this.#startedMs = startedMs;
    this.#inFlightAtStart = inFlightAtStart;
    this.#share = share;
  }

  done(): void {
    const inFlight = this.#inFlight;
    if (!inFlight) return;
    this.#inFlight = undefined;
    if (this.#isPaused) inFlight.donePaused();
    else inFlight.done(this.#startedMs, this.#inFlightAtStart, this.#share);
  }

  drop(): void {
    this.#startedMs = Number.NaN;
    this.done();
  }

  pause(): void {
    if (!this.#inFlight || this.#isPaused) return;
    this.#isPaused = true;
    this.#inFlight.pause(this.#share);
  }

  resume(): void {
    if (!this.#inFlight || !this.#isPaused) return;
    this.#isPaused = false;
    this.#share = this.#inFlight.resume(this.#share);
    if (!this.#givesSample) return;
    this.#startedMs = this.#inFlight.sampleMs;
    this.#inFlightAtStart = this.#inFlight.placed;
  }
}
