// Why it is so: core/docs/why/load-shedding.md

import { FairShares, type Share, type TenantOptions } from './fair-shares.js';

/** So many standard deviations of the requests of tenants stay free. */
const DEVIATIONS = 2;

/** Shares of the places in flight: who asks for slow things has fewer requests of them. */
export class PlaceShares extends FairShares {
  readonly #places: () => number;
  /** How many places all have in the mean that are within their parts. */
  #within = 0;

  /** @param places - how many there are */
  constructor(options: TenantOptions, places: () => number) {
    super(options);
    this.#places = places;
  }

  override isAbove(share: Share, rank: number): boolean {
    const part = this.partOf(share, rank);
    // Requests come by chance: who has its part in the mean has more at times. Everybody may have one place, or it could never run.
    return (
      share.placed >= Math.max(1, part) &&
      (share.placedMean >= part || share.placed >= part + DEVIATIONS * Math.sqrt(part))
    );
  }

  protected override wants(share: Share): number {
    // By Little's law, places are requests times how long each of them takes.
    return share.used > 0 ? (share.placedMean * share.wanted) / share.used : share.wanted;
  }

  protected override available(): number {
    return this.#places();
  }

  /**
   * How many places a request that is above the part of its tenant leaves free: for what others may need soon within theirs, and for one of
   * those that come seldom.
   */
  reserveBeside(share: Share): number {
    return Math.max(1, reserveOf(Math.max(0, this.#within - this.#withinPart(share))));
  }

  protected override levelFound(shares: Iterable<Share>): void {
    this.#within = 0;
    for (const share of shares) this.#within += this.#withinPart(share);
    this.reserve = reserveOf(this.#within);
  }

  /** How many places a tenant has in the mean that are within its part. */
  #withinPart({ placedMean, weight }: Share): number {
    return Math.min(placedMean, weight * this.level);
  }
}

/** Requests come by chance: more than this beyond the mean are there at a time in one of forty. */
function reserveOf(mean: number): number {
  return DEVIATIONS * Math.sqrt(mean);
}
