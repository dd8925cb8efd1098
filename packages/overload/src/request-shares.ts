// Why it is so: core/docs/why/load-shedding.md

import { FairShares, type Share } from './fair-shares.js';

/** Shares of what the process can answer, in requests: for the event loop, whose time nobody counts for each of them. */
export class RequestShares extends FairShares {
  override isAbove(share: Share, rank: number): boolean {
    return share.used + share.admitted >= this.partOf(share, rank);
  }

  protected override wants(share: Share): number {
    return share.wanted;
  }

  protected override available(shares: Iterable<Share>): number {
    let used = 0;
    for (const share of shares) used += share.used;
    return used;
  }
}
