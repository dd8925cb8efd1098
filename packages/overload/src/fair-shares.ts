// Why it is so: core/docs/why/load-shedding.md

import { hash } from '@sluice/core/src/values/key';
import { OTHERS } from '@sluice/core/src/values/named-recorders';
import { warnOfHook } from '@sluice/core/src/values/warning';

/** How tenants share what there is. */
export interface TenantOptions {
  /**
   * Returns how large the part of a tenant is beside those of others: more than 0. It is called when a tenant comes that has not come
   * for a while. A function that fails, or returns no such number, gives one process warning, `SLUICE_HOOK_FAILED`, and the
   * tenant counts 1. Default: 1 for each.
   */
  weight?: (tenant: string) => number;
  /** How many tenants are told apart at a time: 1 to 100,000. All further ones share one part. Default: 1,000. */
  max?: number;
}

/** How often the level is found. */
const INTERVAL_MS = 100;
/** What is left of the counts after each interval: they cover about a second. */
const LEFT = 0.9;
/** A tenant with less than this in its counts, and nothing in flight, is forgotten. */
const FORGOTTEN = 0.05;
/** So many standard deviations of the requests of others stay free. */
const DEVIATIONS = 2;

/** How much of its part a tenant may use for each class, by rank. */
const PARTS = [1, 0.9, 0.75] as const;

/** A longer name is replaced by its hash, so that the memory of a tenant is bounded. */
const LONGEST_NAME = 128;

/** One tenant: what it wants, and what it has. */
export class Share {
  readonly weight: number;
  /** Requests in the present interval and, of those, the admitted ones. */
  asked = 0;
  admitted = 0;
  /** The same of about the last second. */
  wanted = 0;
  used = 0;
  /** Places in flight, now and in the mean of about the last second, as the tenant's requests have found them. */
  placed = 0;
  placedMean = 0;
  /** The sum of what the requests of the present interval have found. */
  found = 0;
  /** How many intervals the mean has. */
  intervals = 0;

  constructor(weight: number) {
    this.weight = weight;
  }
}

/**
 * Finds who has more than its part of something, while there is not enough of it for everybody.
 *
 * The parts are max-min fair: nobody gets more than it wants, what some leave is left to the others, and all that want more than they
 * get have the same, each times its weight. So there is one level, and a tenant has its part when it has the level times its weight. It
 * is found from what all have wanted and used in about the last second, as the fair rate of CSFQ (Stoica, Shenker and Zhang, SIGCOMM 1998),
 * and is at least what an equal part would be. While everybody gets all, the level is Infinity.
 */
abstract class FairShares {
  readonly #options: TenantOptions;
  readonly #max: number;
  readonly #shares = new Map<string, Share>();
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** How much is to be left free for tenants that are within their parts. */
  reserve = 0;
  /** What a tenant of the weight 1 may have. */
  protected level = Number.POSITIVE_INFINITY;

  constructor(options: TenantOptions) {
    this.#options = options;
    this.#max = options.max ?? 1000;
  }

  /** How many tenants are remembered. */
  get size(): number {
    return this.#shares.size;
  }

  /** Counts a request of a tenant, and returns its share. */
  asked(tenant: string, nowMs: number): Share {
    const intervals = Math.floor((nowMs - this.#sinceMs) / INTERVAL_MS);
    if (intervals >= 1) this.#endIntervals(intervals, nowMs);
    const name = tenant.length > LONGEST_NAME ? hash(tenant) : tenant;
    const share = this.#shares.get(name) ?? this.#begin(name);
    share.asked += 1;
    share.found += share.placed;
    return share;
  }

  /**
   * Whether a tenant has its part already, so that one more request of this class would be above it. Less important requests leave some
   * of the part to more important ones.
   */
  abstract isAbove(share: Share, rank: number): boolean;

  /** How much a class may use of a part. */
  protected partOf({ weight }: Share, rank: number): number {
    return weight * this.level * (PARTS[rank] as number);
  }

  /** What a tenant would have if nothing of it were refused. */
  protected abstract wants(share: Share): number;
  /** How much there is for all together. */
  protected abstract available(shares: Iterable<Share>): number;

  /** Called when the level was found. */
  protected levelFound(_shares: Iterable<Share>): void {}

  #begin(name: string): Share {
    const shown = this.#shares.size < this.#max ? name : OTHERS;
    const known = this.#shares.get(shown);
    if (known) return known;
    const share = new Share(shown === name ? this.#weightOf(name) : 1);
    this.#shares.set(shown, share);
    return share;
  }

  #weightOf(tenant: string): number {
    const { weight } = this.#options;
    if (!weight) return 1;
    try {
      const answer = weight(tenant);
      if (Number.isFinite(answer) && answer > 0) return answer;
      throw new TypeError(`weight returned ${answer}, which is no number above 0`);
    } catch (error) {
      warnOfHook(this.#options, 'weight of tenants', 'so the tenant counts 1', error);
      return 1;
    }
  }

  #endIntervals(intervals: number, nowMs: number): void {
    for (const share of this.#shares.values()) {
      share.wanted += share.asked;
      share.used += share.admitted;
      share.intervals += 1;
      const found = share.asked > 0 ? share.found / share.asked : share.placed;
      share.placedMean += Math.max(1 - LEFT, 1 / share.intervals) * (found - share.placedMean);
      share.found = 0;
      share.asked = 0;
      share.admitted = 0;
    }
    this.level = this.#levelOf();
    this.levelFound(this.#shares.values());
    const left = LEFT ** intervals;
    for (const [name, share] of this.#shares) {
      share.wanted *= left;
      share.used *= left;
      if (share.wanted < FORGOTTEN && share.placed === 0) this.#shares.delete(name);
    }
    this.#sinceMs = nowMs;
  }

  /** Fills all up equally, until nothing is left: those that want least have enough first. */
  #levelOf(): number {
    const shares = [...this.#shares.values()];
    // One alone has everything: its classes say what is refused first.
    if (shares.length < 2) return Number.POSITIVE_INFINITY;
    const all = this.available(shares);
    let left = all - this.reserve;
    let wanted = 0;
    for (const share of shares) wanted += this.wants(share);
    if (wanted <= left) return Number.POSITIVE_INFINITY;
    let weight = shares.reduce((sum, share) => sum + share.weight, 0);
    // What is left free is for those that have less than others.
    const equal = all / weight;
    const perWeight = (share: Share): number => this.wants(share) / share.weight;
    shares.sort((a, b) => perWeight(a) - perWeight(b));
    for (const share of shares) {
      if (perWeight(share) * weight >= left) return Math.max(equal, left / weight);
      left -= this.wants(share);
      weight -= share.weight;
    }
    return Number.POSITIVE_INFINITY;
  }
}

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
