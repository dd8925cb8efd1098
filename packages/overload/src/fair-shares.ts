// Why it is so: core/docs/why/load-shedding.md

import { show } from '@sluice/core/src/values/error';
import { isPromise } from '@sluice/core/src/values/eventual';
import { hash } from '@sluice/core/src/values/key';
import { OTHERS } from '@sluice/core/src/values/named-recorders';
import { callbackOf } from './callback.js';

/** How tenants share what there is. */
export interface TenantOptions {
  /**
   * Returns how large the part of a tenant is beside those of others: more than 0, and at most 1,000,000. It is called when a tenant
   * comes that has not come for a while. A function that fails, or returns no such number, gives one process warning,
   * `SLUICE_HOOK_FAILED`, and the tenant counts 1. Default: 1 for each.
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

/** The sum of all weights stays a number that tells one from another. */
const LARGEST_WEIGHT = 1_000_000;

/** One tenant: what it wants, and what it has. */
export class Share {
  readonly name: string;
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

  constructor(name: string, weight: number) {
    this.name = name;
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

  /** Leaves this part of what the mean knew before intervals in which no request came. */
  decayMean(left: number): void {
    this.placedMean = this.placed + left * (this.placedMean - this.placed);
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
  readonly #weightOf: (args: [tenant: string]) => number;
  readonly #max: number;
  readonly #shares = new Map<string, Share>();
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** How much of all is left free, because what tenants have within their parts varies. */
  protected reserve = 0;
  /** What a tenant of the weight 1 may have. */
  protected level = Number.POSITIVE_INFINITY;

  constructor(options: TenantOptions) {
    this.#weightOf = weightOf(options);
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
    const share = this.#shares.get(name) ?? this.#begin(name, tenant);
    share.request();
    return share;
  }

  /** Returns the share in which a tenant is counted now, which had this one before and may have been forgotten since. */
  present(share: Share): Share {
    return this.#shares.get(share.name) ?? (this.#isFull ? this.#others : this.#keep(share));
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

  get #isFull(): boolean {
    return this.#shares.size >= this.#max;
  }

  get #others(): Share {
    return this.#shares.get(OTHERS) ?? this.#keep(new Share(OTHERS, 1));
  }

  #begin(name: string, tenant: string): Share {
    return this.#isFull ? this.#others : this.#keep(new Share(name, this.#weightOf([tenant])));
  }

  #keep(share: Share): Share {
    this.#shares.set(share.name, share);
    return share;
  }

  #endIntervals(intervals: number, nowMs: number): void {
    // In all of them but the first, nobody has asked.
    const leftOfFirst = LEFT ** (intervals - 1);
    for (const share of this.#shares.values()) {
      share.endInterval();
      share.decayMean(leftOfFirst);
    }
    this.level = this.#levelOf();
    this.levelFound(this.#shares.values());
    for (const [name, share] of this.#shares) {
      share.decay(LEFT * leftOfFirst);
      if (share.isForgettable) this.#shares.delete(name);
    }
    this.#sinceMs = nowMs;
  }

  /** Fills all up equally, until nothing is left. Those that have enough leave the rest to the others, until nobody of them has enough. */
  #levelOf(): number {
    let unmet = [...this.#shares.values()];
    // One alone has everything: its classes say what is refused first.
    if (unmet.length < 2) return Number.POSITIVE_INFINITY;
    const all = this.available(unmet);
    // What is left free is for those that have less than others.
    const equal = all / sumOf(unmet, ({ weight }) => weight);
    let left = all - this.reserve;
    if (sumOf(unmet, (share) => this.wants(share)) <= left) return Number.POSITIVE_INFINITY;
    while (unmet.length > 0) {
      const level = left / sumOf(unmet, ({ weight }) => weight);
      const hasEnough = (share: Share): boolean => this.wants(share) <= level * share.weight;
      const met = unmet.filter(hasEnough);
      if (met.length === 0) return Math.max(equal, level);
      left -= sumOf(met, (share) => this.wants(share));
      unmet = unmet.filter((share) => !hasEnough(share));
    }
    return Number.POSITIVE_INFINITY;
  }
}

function sumOf(shares: readonly Share[], of: (share: Share) => number): number {
  let sum = 0;
  for (const share of shares) sum += of(share);
  return sum;
}

/** Returns the function that finds the weight of a tenant. */
function weightOf(options: TenantOptions): (args: [tenant: string]) => number {
  const { weight } = options;
  if (!weight) return () => 1;
  const checked = (tenant: string): number => {
    const answer = weight(tenant);
    // A promise is reported by the caller.
    if (isPromise(answer) || (Number.isFinite(answer) && answer > 0 && answer <= LARGEST_WEIGHT)) return answer;
    throw new TypeError(`weight returned ${show(answer)}, which is no number above 0 and at most ${LARGEST_WEIGHT}`);
  };
  return callbackOf(options, 'tenants.weight', checked, 1, 'so the tenant counts 1');
}
