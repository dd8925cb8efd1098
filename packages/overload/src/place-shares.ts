// Why it is so: core/docs/why/load-shedding.md

import { FairShares, type Share, type TenantOptions } from './fair-shares.js';

/** So many standard deviations of the requests of others stay free. */
const DEVIATIONS = 2;

/** Shares of the places in flight: who asks for slow things has fewer requests of them. */
export class PlaceShares extends FairShares {
  readonly #places: () => number;

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

  protected override levelFound(shares: Iterable<Share>): void {
    let within = 0;
    for (const share of shares) within += Math.min(share.placedMean, share.weight * this.level);
    // Requests come by chance: more than this are there at a time in one of forty.
    this.reserve = DEVIATIONS * Math.sqrt(within);
  }
}
