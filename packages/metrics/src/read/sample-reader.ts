import {
  type Clock,
  type DurationHistogram,
  type LimitMetrics,
  type LimitStatus,
  type LivePolicyStatus,
  type PolicyMetrics,
  policyMetrics,
  type StoreMetrics,
  storeMetrics,
} from '@sluice/core';
import { type ShedderMetrics, shedderMetrics } from '@sluice/core/load';
import { CATALOGUE, OUTCOMES, PRIORITIES, SOURCES } from '../catalogue.js';
import { BudgetKeys, type BudgetSource } from '../money/budget-keys.js';
import { TierDecisions, type TierOf } from '../money/tier-decisions.js';
import { VERSION } from '../version.js';
import { inSeconds } from './histogram.js';
import { SampleCollector, type Samples } from './sample.js';
import { MOST_PLACES, SeriesCap } from './series-cap.js';
import { sum } from './sum.js';

/** Live policies, as `policies()` of `@sluice/config` returns them. */
export interface PolicySource {
  /** What the policies tell about themselves now. */
  status(): LivePolicyStatus;
}

/** What to read beside the counters, and how. */
export interface ReaderOptions {
  /** Live policies of a file, whose revision, tiers and reloads are shown, too. */
  readonly policies: PolicySource | undefined;
  /** An allowed check that leaves at most so many tenths of its limit is near the limit. */
  readonly nearTenths: number;
  /** Reports budgets that are nearly used up. */
  readonly budgets: BudgetSource | undefined;
  /** Says the tiers of limits. */
  readonly tierOf: TierOf | undefined;
  /** Tells when budgets are fresh again. */
  readonly clock: Clock;
}

/** Adds up what is published and not counted anyway, as long as the reader is used. */
interface Listener {
  addTo(collector: SampleCollector): void;
  readonly stop: () => void;
}

/** Reads all numbers of Sluice in this process, as samples of the catalogue's metrics. */
export class SampleReader {
  readonly #options: ReaderOptions;
  readonly #collector = new SampleCollector();
  readonly #cap = new SeriesCap();
  readonly #listeners: readonly Listener[];
  #samples: Samples | undefined;

  /** @param others - makes further listeners, from a function that returns the name by which a policy is shown */
  constructor(
    options: ReaderOptions,
    others: (policyOf: (policy: string) => string) => readonly Listener[] = () => [],
  ) {
    this.#options = options;
    const { budgets, tierOf, clock } = options;
    const policyOf = (policy: string): string => this.namesOf(policy)[0] as string;
    this.#listeners = [
      ...others(policyOf),
      ...(budgets ? [new BudgetKeys(budgets, (policy, limit) => this.namesOf(policy, limit), clock)] : []),
      ...(tierOf ? [new TierDecisions(tierOf, policyOf)] : []),
    ];
  }

  /** Ends the reader. */
  stop(): void {
    for (const { stop } of this.#listeners) stop();
  }

  /** Returns the names by which a limit of a policy is shown; without a limit, the policy alone. */
  namesOf(policy: string, limit?: string): readonly string[] {
    return this.#cap.namesOf(policy, limit);
  }

  /**
   * Returns the samples of this moment. Everything that is read in one turn, before anything else happens in the process,
   * gets the same samples, so numbers that belong together agree.
   */
  read(): Samples {
    if (!this.#samples) {
      this.#samples = this.#readAll();
      queueMicrotask(() => {
        this.#samples = undefined;
      });
    }
    return this.#samples;
  }

  #readAll(): Samples {
    const { policies } = this.#options;
    const { counters, isCapped } = this.#cap.apply(policyMetrics());
    const status = policies?.status();
    const tiers = status?.limits ?? [];
    const shown = tiers.slice(0, MOST_PLACES);
    if (status) this.#addPolicyFile(status, shown);
    const named = new Set(shown.map(({ policy, limit }) => limitKey(policy, limit)));
    for (const policy of counters) this.#addPolicy(policy, named);
    for (const store of storeMetrics()) this.#addStore(store);
    for (const shedder of shedderMetrics()) this.#addShedder(shedder);
    for (const listener of this.#listeners) listener.addTo(this.#collector);
    this.#collector.add('capped', isCapped || tiers.length > MOST_PLACES ? 1 : 0);
    this.#collector.add('build', 1, VERSION, process.version);
    return this.#collector.take();
  }

  #addPolicy(counters: PolicyMetrics, named: ReadonlySet<string>): void {
    const { policy, decisions, skipped, waiting, waits } = counters;
    const out = this.#collector;
    for (const outcome of OUTCOMES) {
      for (const source of SOURCES) out.add('decisions', decisions[outcome][source], policy, outcome, source);
    }
    out.add('skipped', skipped.skip, policy, 'skip');
    out.add('skipped', skipped.allowList, policy, 'allow_list');
    out.add('skipped', skipped.denyList, policy, 'deny_list');
    out.add('skipped', skipped.unknown, policy, 'unknown');
    out.add('skipped', skipped.blocked, policy, 'blocked');
    out.add('skipped', skipped.refused, policy, 'refused');
    // Only policies with a line have these.
    if (waiting > 0 || hasAny(waits)) {
      out.add('waiting', waiting, policy);
      out.add('wait', inSeconds(waits), policy);
    }
    for (const limit of counters.limits) {
      this.#addLimit(policy, limit);
      if (!named.has(limitKey(policy, limit.name))) this.#addQuota(policy, limit);
    }
  }

  #addLimit(policy: string, counters: LimitMetrics): void {
    const { name, checks, allowedByTenths, unitsSpent, unitsReturned, slotsInUse, hasSlots, delays, limit } = counters;
    const out = this.#collector;
    out.add('checks', checks.allowed, policy, name, 'allowed');
    out.add('checks', checks.refused, policy, name, 'refused');
    out.add('checks', checks.wouldRefuse, policy, name, 'would_refuse');
    // The first number is for nothing left, so one tenth has two numbers.
    out.add('near', sum(allowedByTenths.slice(0, this.#options.nearTenths + 1)), policy, name);
    out.add('unitsSpent', unitsSpent, policy, name);
    out.add('unitsReturned', unitsReturned, policy, name);
    if (hasSlots) out.add('slots', slotsInUse, policy, name);
    if (hasAny(delays) || limit?.algorithm === 'leaky-bucket') out.add('delay', inSeconds(delays), policy, name);
  }

  /** The numbers of a limit that a function chooses for each request are not known. */
  #addQuota(policy: string, { name, limit, enforce }: LimitMetrics): void {
    const out = this.#collector;
    if (limit && limit.algorithm !== 'unlimited') {
      out.add('quota', limit.quota, policy, name);
      if (limit.windowMs !== undefined) out.add('window', limit.windowMs / 1000, policy, name);
    }
    if (enforce !== undefined) out.add('enforced', enforce === 'mark' ? 0 : enforce, policy, name);
  }

  #addStore({ store, operations, errors, breaker, keys, maxKeys, evictedKeys }: StoreMetrics): void {
    const out = this.#collector;
    // Stores in this process have neither round trips nor a breaker.
    if (breaker !== undefined) {
      out.add('storeDuration', inSeconds(operations.consume), store, 'consume');
      out.add('storeDuration', inSeconds(operations.adjust), store, 'adjust');
      out.add('storeDuration', inSeconds(operations.reset), store, 'reset');
      out.add('storeErrors', errors.timeout, store, 'timeout');
      out.add('storeErrors', errors.unavailable, store, 'unavailable');
      out.add('storeErrors', errors.error, store, 'error');
      out.add('breaker', breaker === 'closed' ? 0 : 1, store);
    }
    if (keys !== undefined) {
      out.add('storeKeys', keys, store);
      out.add('evicted', evictedKeys, store);
    }
    if (maxKeys !== undefined) out.add('storeMaxKeys', maxKeys, store);
  }

  #addShedder({ shedder, admitted, refused, exempt, state }: ShedderMetrics): void {
    const out = this.#collector;
    for (const priority of PRIORITIES) {
      out.add('loadAdmitted', admitted[priority], shedder, priority);
      out.add('loadShed', refused.loop[priority], shedder, 'loop', priority);
      out.add('loadShed', refused.inFlight[priority], shedder, 'in_flight', priority);
    }
    out.add('loadExempt', exempt, shedder);
    // Without a shedder that is used, there is nothing to see now.
    if (!state) return;
    out.add('loadInFlight', state.inFlight, shedder);
    if (Number.isFinite(state.limit)) out.add('loadLimit', state.limit, shedder);
    out.add('loadBorder', state.border === undefined ? 0 : PRIORITIES.indexOf(state.border) + 1, shedder);
    out.add('loadAge', state.ageMs / 1000, shedder);
  }

  #addPolicyFile(status: LivePolicyStatus, tiers: readonly LimitStatus[]): void {
    const { revision, enforcement, reloads, lastReload, braked } = status;
    const out = this.#collector;
    out.add('reloads', reloads.applied, 'applied');
    out.add('reloads', reloads.unchanged, 'unchanged');
    out.add('reloads', reloads.rejected, 'rejected');
    out.add('reloadSuccessful', lastReload.successful ? 1 : 0);
    out.add('reloadTime', lastReload.succeededAtMs / 1000);
    out.addOnce('policyFile', 1, revision);
    for (const mode of CATALOGUE.enforcement.values.mode) out.add('enforcement', mode === enforcement ? 1 : 0, mode);
    for (const tier of tiers) this.#addTier(tier);
    for (const policy of new Set(tiers.map(({ policy }) => policy))) {
      out.addOnce('braked', braked.includes(policy) ? 1 : 0, policy);
    }
  }

  /** Other revisions may have other tiers. */
  #addTier({ policy, limit, tier, quota, windowMs, enforce }: LimitStatus): void {
    const out = this.#collector;
    out.addOnce('quota', quota, policy, limit, tier);
    if (windowMs !== undefined) out.addOnce('window', windowMs / 1000, policy, limit, tier);
    out.addOnce('enforced', enforce, policy, limit, tier);
  }
}

function limitKey(policy: string, limit: string): string {
  return `${policy}\0${limit}`;
}

function hasAny({ counts }: DurationHistogram): boolean {
  return counts.some((count) => count > 0);
}
