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
  /** Places in flight now. */
  placed = 0;
  /** The mean of `placed` in about the last second, as the requests of the tenant have found it. */
  placedMean = 0;
  /** The sum of `placed` over the requests of the present interval. */
  #placedSum = 0;
  /** How many intervals the mean has. */
  #intervals = 0;

  constructor(weight: number) {
    this.weight = weight;
  }

  /** Counts a request of the present interval. */
  request(): void {
    this.asked += 1;
    this.#placedSum += this.placed;
  }

  /** Adds the present interval to what is counted of about the last second. */
  endInterval(): void {
    this.wanted += this.asked;
    this.used += this.admitted;
    this.#intervals += 1;
    const placed = this.asked > 0 ? this.#placedSum / this.asked : this.placed;
    this.placedMean += Math.max(1 - LEFT, 1 / this.#intervals) * (placed - this.placedMean);
    this.#placedSum = 0;
    this.asked = 0;
    this.admitted = 0;
  }

  /** Leaves this part of the counts. */
  decay(left: number): void {
    this.wanted *= left;
    this.used *= left;
  }

  get isForgettable(): boolean {
    return this.wanted < FORGOTTEN && this.placed === 0;
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
export abstract class FairShares {
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
    share.request();
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
    for (const share of this.#shares.values()) share.endInterval();
    this.level = this.#levelOf();
    this.levelFound(this.#shares.values());
    const left = LEFT ** intervals;
    for (const [name, share] of this.#shares) {
      share.decay(left);
      if (share.isForgettable) this.#shares.delete(name);
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
