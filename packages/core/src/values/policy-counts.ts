import type { Decision } from './decision.js';
import { DurationCounts } from './duration-counts.js';
import type { SkipReason } from './events.js';
import { newFailureCounts } from './failure-counts.js';
import { getOrCreate } from './get-or-create.js';
import { type Limit, usesSlots } from './limit.js';

/** The sources of decisions, in the order in which `PolicyCounts.decisions` counts them. */
export const SOURCES: readonly Decision['source'][] = ['store', 'local', 'allow', 'deny'];

/** Where the decisions of each outcome begin in `PolicyCounts.decisions`. */
export const ALLOWED = 0;
export const SHADOWED = 4;
export const REFUSED = 8;

/** Where the numbers of a limit are in `LimitCounts.numbers`. Allowed checks are counted by the tenths that are left. */
export const SPENT = 0;
export const RETURNED = 1;
export const REFUSED_CHECKS = 2;
export const WOULD_REFUSE = 3;
export const TENTHS = 4;
export const MOST_TENTHS = 10;

/** The ends of the buckets for delays and waits. */
const WAITS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000];

function newNumbers(): Float64Array {
  return new Float64Array(TENTHS + MOST_TENTHS + 1);
}

/** The counts of one limit of a policy. */
export class LimitCounts {
  readonly name: string;
  readonly numbers = newNumbers();
  /**
   * The same numbers of decisions about this limit alone, of which a store decided at once. They are not counted in
   * `PolicyCounts.decisions` as well, because each addition would be a measurable part of such a decision.
   */
  readonly alone = newNumbers();
  /** How many slots this process holds now. */
  slots = 0;
  /** Whether it is a concurrency limit, or was one, or a function has chosen one that gave a slot. */
  hasSlots = false;
  /** Whether the policy has the limit, or has had it: a replacement that is only prepared may never come. */
  isKnown = false;
  /** How long requests are delayed that the limit admits with a delay. */
  readonly delays: DurationCounts;
  /** The limit as the policy has it now; undefined if a function chooses it, or if the policy has it no more. */
  limit: Limit | undefined;
  /** How far it is enforced now; undefined if the policy has it no more. */
  enforce: (() => number | 'mark') | undefined;

  constructor(policy: string, name: string) {
    this.name = name;
    this.delays = new DurationCounts({ kind: 'delay', policy, limit: name }, WAITS_MS);
  }

  /** Notes the limit as the policy has it from now on. */
  inForce(limit: Limit | undefined, enforce: () => number | 'mark'): void {
    this.limit = limit;
    this.enforce = enforce;
    this.isKnown = true;
    if (limit && usesSlots(limit)) this.hasSlots = true;
  }

  /** Notes that this process holds one slot more. */
  slotTaken(): void {
    this.slots += 1;
    this.hasSlots = true;
  }

  /** Notes that the policy has the limit no more. */
  removed(): void {
    this.limit = undefined;
    this.enforce = undefined;
  }
}

/** The counts of one policy in this process. They are kept until the process ends. */
export class PolicyCounts {
  readonly policy: string;
  readonly decisions = new Float64Array(12);
  readonly skipped: Record<SkipReason, number> = {
    skip: 0,
    allowList: 0,
    denyList: 0,
    unknown: 0,
    blocked: 0,
    refused: 0,
  };
  readonly storeErrors = newFailureCounts();
  /** How many requests wait in a line now. */
  waiting = 0;
  /** How long those waited that wait no more. */
  readonly waits: DurationCounts;
  readonly #limits = new Map<string, LimitCounts>();

  constructor(policy: string) {
    this.policy = policy;
    this.waits = new DurationCounts({ kind: 'wait', policy }, WAITS_MS);
  }

  get limits(): Iterable<LimitCounts> {
    return this.#limits.values();
  }

  /** Returns the counts of a limit. The first call creates them. */
  limit(name: string): LimitCounts {
    const known = this.#limits.get(name);
    const shown = !known && this.#limits.size >= MOST_LIMITS ? OTHERS : name;
    return known ?? getOrCreate(this.#limits, shown, () => new LimitCounts(this.policy, shown));
  }
}

/** Far more than an application has. Names that a program makes without end must not fill the memory. */
const MOST_POLICIES = 10_000;
const MOST_LIMITS = 1000;

/** Stands for all names beyond these numbers. */
const OTHERS = '(others)';

const policies = new Map<string, PolicyCounts>();

/** Returns the counts of all policies with this name. The first call creates them. */
export function countsOfPolicy(name: string): PolicyCounts {
  const known = policies.get(name);
  if (!known && policies.size >= MOST_POLICIES) return getOrCreate(policies, OTHERS, () => new PolicyCounts(OTHERS));
  return known ?? getOrCreate(policies, name, () => new PolicyCounts(name));
}

/** Returns the counts of every policy of this process. */
export function allPolicyCounts(): Iterable<PolicyCounts> {
  return policies.values();
}
