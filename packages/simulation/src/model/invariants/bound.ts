import type { Observation } from '../../fleet/observation.js';
import { type Charge, type KeyHistory, mostGivenBack, unitsOn } from '../charges.js';
import { GivenBack } from '../given-back.js';
import type { Knowledge } from '../knowledge.js';
import type { LimitFacts } from '../setup-facts.js';
import type { Invariant, Violation } from '../violation.js';
import { mostByItself, mostByStore } from '../worst-case.js';

/** Windows of limits are watched in these lengths: more than one shows what happens around the ends of fixed ones. */
const LENGTHS = [1, 2, 4] as const;

/** A bucket is watched over this many of its last admissions. */
const MOST_ADMISSIONS = 200;

/** An admission that took longer is no evidence for a bucket: it makes the window too long. */
const QUICK_MS = 500;

/** A process tries to give units of a late slice back "for at most a minute" (packages/core/docs/leasing.md). */
const GIVES_BACK_MS = 60_000;

/**
 * "Never more than the limit. The default admits at most `limit` in every window of its length, wherever the window starts. For every
 * other limit, `boundOf` computes the worst case" (README.md, What it promises). "Units that are given back do not count."
 *
 * An admission counts in a window if the whole time in which it may have been decided lies in the window.
 */
export class Bound implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #returns: GivenBack;
  /** How long before a loss units may have been taken that are spent after it. */
  readonly #lingersMs: number;
  readonly #longest = new Map<KeyHistory, number>();

  constructor(knowledge: Knowledge) {
    const { leaseMs, syncMs } = knowledge.facts.store;
    this.#knowledge = knowledge;
    this.#returns = new GivenBack(knowledge);
    this.#lingersMs = leaseMs > 0 ? leaseMs + GIVES_BACK_MS : 2 * syncMs;
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'answer' && observation.kind !== 'work') return undefined;
    const { calls, conditions } = this.#knowledge;
    const charge = calls.record(observation.call)?.charge;
    if (charge?.state !== 'admitted' || charge.answeredMs !== observation.atMs) return undefined;
    if (charge.isUnchecked || charge.source === 'allow' || conditions.isResting(observation.atMs)) return undefined;
    const keys = charge.keys;
    for (let i = 0; i < keys.length; i += 1) {
      const limit = charge.limits[i] as LimitFacts;
      const key = keys[i] as KeyHistory;
      if (
        limit.algorithm === 'concurrency' ||
        !limit.isEnforced ||
        this.#isOfSeveralAlgorithms(key) ||
        key.admitted.at(-1) !== charge ||
        unitsOn(charge, limit) === 0
      )
        continue;
      const found =
        limit.rate > 0 || limit.algorithm === 'token-bucket' ? this.#bucket(key, limit) : this.#window(key, limit);
      if (found) return found;
    }
    return undefined;
  }

  /** Each algorithm has a state of its own, and whoever waits may be admitted by either. */
  #isOfSeveralAlgorithms({ policy, limitName }: KeyHistory): boolean {
    if (this.#knowledge.calls.variants.isUnchanged(policy)) return false;
    const own = policy.variants.flat().filter(({ name }) => name === limitName);
    return own.some(({ algorithm }) => algorithm !== own[0]?.algorithm);
  }

  #window(key: KeyHistory, limit: LimitFacts): Violation | undefined {
    const last = key.admitted.at(-1) as Charge;
    const { facts } = this.#knowledge;
    const { drift, store } = facts;
    for (const times of LENGTHS) {
      const lengthMs = times * limit.windowMs;
      const aheadMs = (store.leaseMs + 2 * store.syncMs) * drift;
      const fromMs = Math.max(last.answeredMs - (lengthMs - 1 - aheadMs) / (1 + drift), this.#steadySinceMs());
      const { units, isAll } = this.#within(key, limit, fromMs);
      if (units <= this.#inAnyCase(limit, last)) {
        // A longer window has no more in it.
        if (isAll) return undefined;
        continue;
      }
      const counted = key.admitted.filter((one) => one.beganMs >= fromMs && isLike(one, last)).reverse();
      const found = this.#judge(key, limit, { fromMs, sinceMs: fromMs, lengthMs, units, counted });
      if (found) return found;
    }
    return undefined;
  }

  /** Returns the units that the last admission and those like it took since some moment, and whether those are all there were. */
  #within({ admitted }: KeyHistory, limit: LimitFacts, fromMs: number): { units: number; isAll: boolean } {
    const last = admitted.at(-1) as Charge;
    let units = 0;
    let isAll = true;
    for (let i = admitted.length - 1; i >= 0; i -= 1) {
      const other = admitted[i] as Charge;
      if (other.beganMs < fromMs) isAll = false;
      if (other.answeredMs < fromMs) break;
      if (other.beganMs >= fromMs && isLike(other, last)) units += this.#kept(other, limit, last.answeredMs);
    }
    return { units, isAll };
  }

  /** Any window that begins with an admission and ends with the last one. */
  #bucket(key: KeyHistory, limit: LimitFacts): Violation | undefined {
    const last = key.admitted.at(-1) as Charge;
    const { facts } = this.#knowledge;
    const delayMs = departsAfter(last, limit);
    const toMs = last.answeredMs + delayMs;
    const isLocal = last.source === 'local';
    const inAnyCase = this.#inAnyCase(limit, last);
    const counted: Charge[] = [];
    let fromMs = Number.POSITIVE_INFINITY;
    let decidedMs = Number.POSITIVE_INFINITY;
    let units = 0;
    const stop = Math.max(0, key.admitted.length - MOST_ADMISSIONS);
    for (let i = key.admitted.length - 1; i >= stop; i -= 1) {
      const other = key.admitted[i] as Charge;
      const shiftMs = departsAfter(other, limit);
      if (!isLike(other, last) || other.answeredMs + shiftMs > toMs || other.answeredMs - other.beganMs > QUICK_MS)
        continue;
      if (other.beganMs < this.#steadySinceMs()) continue;
      fromMs = Math.min(fromMs, other.beganMs + shiftMs);
      decidedMs = Math.min(decidedMs, other.beganMs);
      // A departure is as far from its decision as the server says, and the decisions are farther apart by its clock.
      const aheadMs = (last.answeredMs - decidedMs + facts.store.leaseMs) * facts.drift;
      const lengthMs = Math.ceil(toMs - fromMs + aheadMs) + 2;
      if (limit.rate === 0 && lengthMs >= limit.windowMs * (1 - facts.drift)) return undefined;
      units += this.#kept(other, limit, last.answeredMs);
      counted.push(other);
      const refilled = isLocal ? 0 : Math.floor((limit.rate * (lengthMs - 2)) / 1000);
      if (units <= inAnyCase + (inAnyCase > 0 ? refilled : 0)) continue;
      const found = this.#judge(key, limit, { fromMs, sinceMs: decidedMs, lengthMs, units, counted });
      if (found) return found;
    }
    return undefined;
  }

  /** A window in which a clock was set is longer or shorter than it seems. */
  #steadySinceMs(): number {
    return this.#knowledge.conditions.lastSetMs + this.#lingersMs + 1;
  }

  /** Returns what is admitted in any window that is not shorter than the limit's own, without looking closer. */
  #inAnyCase({ algorithm, quota }: LimitFacts, { source }: Charge): number {
    if (algorithm === 'leaky-bucket') return 0;
    return source === 'local' ? Math.ceil(quota / this.#knowledge.facts.store.instances) : quota;
  }

  #kept(charge: Charge, limit: LimitFacts, atMs: number): number {
    // A limit that was not enforced admitted it without a promise.
    const own = charge.limits.find(({ name }) => name === limit.name);
    if (!own?.isEnforced || own.algorithm !== limit.algorithm) return 0;
    return unitsOn(charge, own) - mostGivenBack(charge, own, atMs, this.#knowledge.conditions.aheadMs(atMs));
  }

  /** Returns after which time a key is fresh again, whatever its limit was. */
  #longestOf(key: KeyHistory, { name }: LimitFacts): number {
    const known = this.#longest.get(key);
    if (known !== undefined) return known;
    const own = key.policy.variants.flat().filter((limit) => limit.name === name);
    const longestMs = Math.max(0, ...own.map(({ freshAfterMs }) => freshAfterMs));
    this.#longest.set(key, longestMs);
    return longestMs;
  }

  #judge(key: KeyHistory, limit: LimitFacts, window: Window): Violation | undefined {
    const { calls, conditions, facts } = this.#knowledge;
    const last = window.counted[0] as Charge;
    const atMs = last.answeredMs;
    const { fromMs, lengthMs } = window;
    const sinceMs = Math.min(fromMs, window.sinceMs);
    const isLocal = last.source === 'local';
    const variants = calls.variants
      .usedSince(key.policy, limit.name, sinceMs - this.#longestOf(key, limit))
      .filter(({ algorithm }) => algorithm === limit.algorithm);
    if (variants.length > 1 && key.wasOvercharged) return undefined;
    const resets = key.resets.filter(
      ({ beganMs, answeredMs }) => beganMs <= atMs && answeredMs + this.#lingersMs >= sinceMs,
    );
    const cost = calls.largestCost(key.policy);
    const most = isLocal
      ? mostByItself(facts, variants, lengthMs, cost) * (1 + resets.length)
      : mostByStore(facts, variants, lengthMs, {
          losses: conditions.losses(sinceMs, atMs, this.#lingersMs) + resets.length,
          cost,
          instances: conditions.livesSoFar,
        });
    const possible = Math.max(most, this.#inAnyCase(limit, last));
    if (window.units <= possible) return undefined;
    // What came back is looked up last: few windows need it.
    const given = this.#returns.between(key, limit, { fromMs, toMs: atMs }, window.counted);
    if (window.units - given <= possible) return undefined;
    const who = isLocal ? ` by process ${last.began.process} alone` : '';
    return {
      invariant: 'bound',
      atMs,
      calls: window.counted.map(({ calls: [call] }) => call as number).reverse(),
      says:
        `The limit "${limit.name}" of "${key.policy.name}" admitted ${window.units - given} units${who} for ${last.began.subject} ` +
        `within ${Math.round(lengthMs)} ms (since ${fromMs.toFixed(1)}), and at most ${possible} are possible.`,
    };
  }
}

interface Window {
  readonly fromMs: number;
  /** When the first of them began: a departure may be decided long before. */
  readonly sinceMs: number;
  readonly lengthMs: number;
  readonly units: number;
  /** The last one first. */
  readonly counted: readonly Charge[];
}

/** The store counts all that it admitted together, and each process what it admitted by itself. */
function isLike(one: Charge, other: Charge): boolean {
  if (one.source !== other.source) return false;
  return one.source === 'store' || (one.lives[0] === other.lives[0] && one.lives.length === 1);
}

/** Departures of leaky buckets are counted, each by its own delay: whatever else delays a request is not its pace. */
function departsAfter({ decision }: Charge, { name }: LimitFacts): number {
  const own = decision?.verdicts.find((verdict) => verdict.name === name);
  return (own ?? decision)?.delayMs ?? 0;
}
