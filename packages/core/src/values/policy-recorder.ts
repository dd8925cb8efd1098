// Why it is so: docs/why/metrics.md

import type { Decision } from './decision.js';
import { DurationRecorder } from './duration-recorder.js';
import type { SkipReason } from './events.js';
import { type FailureMetrics, newFailureMetrics } from './failure-metrics.js';
import { getOrCreate } from './get-or-create.js';
import { type Limit, usesSlots } from './limit.js';
import { NamedRecorders, OTHERS } from './named-recorders.js';

/** The sources of decisions, in the order in which `PolicyRecorder.decisions` counts them. */
export const SOURCES: readonly Decision['source'][] = ['store', 'local', 'allow', 'deny'];

/** Where the decisions of each outcome begin in `PolicyRecorder.decisions`. */
export const ALLOWED = 0;
export const SHADOWED = 4;
export const REFUSED = 8;

/** Where the numbers of a limit are in `LimitRecorder.numbers`. Allowed checks are counted by the tenths that are left. */
export const SPENT = 0;
export const RETURNED = 1;
export const REFUSED_CHECKS = 2;
export const WOULD_REFUSE = 3;
export const TENTHS = 4;
export const MOST_TENTHS = 10;

/** The ends of the buckets for delays and waits. */
const WAITS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000];

/** The counts of one limit of a policy. */
export class LimitRecorder {
  readonly name: string;
  numbers = new Float64Array(TENTHS + MOST_TENTHS + 1);
  /** How many slots this process holds now. */
  slots = 0;
  /** Whether it is a concurrency limit, or was one, or a function has chosen one that gave a slot. */
  hasSlots = false;
  /** Whether the policy has the limit, or has had it: a replacement that is only prepared may never come. */
  isKnown = false;
  /** How long requests are delayed that the limit admits with a delay. */
  delays: DurationRecorder;
  /** The limit as the policy has it now; undefined if a function chooses it, or if the policy has it no more. */
  limit: Limit | undefined;
  /** How far it is enforced now; undefined if the policy has it no more. */
  enforce: (() => number | 'mark') | undefined;
  /** How many policies of this name have the limit now. */
  #policies = 0;

  constructor(policy: string, name: string) {
    this.name = name;
    this.delays = new DurationRecorder({ kind: 'delay', policy, limit: name }, WAITS_MS);
  }

  /** Whether a policy has the limit now. */
  get isInForce(): boolean {
    return this.#policies > 0;
  }

  /** Notes the limit as the policy has it now. */
  describe(limit: Limit | undefined, enforce: () => number | 'mark'): void {
    this.limit = limit;
    this.enforce = enforce;
    this.isKnown = true;
    if (limit && usesSlots(limit)) this.hasSlots = true;
  }

  /** Notes that one more policy has the limit. */
  added(): void {
    this.#policies += 1;
  }

  /** Notes that this process holds one slot more. */
  slotTaken(): void {
    this.slots += 1;
    this.hasSlots = true;
  }

  /** Notes that it holds one slot less. */
  slotFreed(): void {
    this.slots -= 1;
  }

  /** Notes that one policy has the limit no more. */
  removed(): void {
    this.#policies -= 1;
    if (this.isInForce) return;
    this.limit = undefined;
    this.enforce = undefined;
  }

  /** Adds all numbers to those of another limit. From then on, what is counted here is counted there. */
  foldInto(other: LimitRecorder): void {
    for (const [place, number] of this.numbers.entries()) {
      other.numbers[place] = (other.numbers[place] as number) + number;
    }
    other.delays.addAll(this.delays);
    other.hasSlots ||= this.hasSlots;
    this.numbers = other.numbers;
    this.delays = other.delays;
  }
}

/** The counts of one policy in this process. They are kept until the process ends. */
export class PolicyRecorder {
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
  readonly storeErrors: FailureMetrics = newFailureMetrics();
  /** How many requests wait in a line now. */
  waiting = 0;
  /** How long those waited that wait no more. */
  readonly waits: DurationRecorder;
  readonly #limits = new Map<string, LimitRecorder>();
  /** The limits that no policy has, or none has yet, those that were removed last at the end. */
  readonly #gone = new Set<LimitRecorder>();

  constructor(policy: string) {
    this.policy = policy;
    this.waits = new DurationRecorder({ kind: 'wait', policy }, WAITS_MS);
  }

  get limits(): Iterable<LimitRecorder> {
    return this.#limits.values();
  }

  /** Returns the counts of a limit. The first call creates them. */
  limit(name: string): LimitRecorder {
    const known = this.#limits.get(name);
    const shown = !known && this.#limits.size >= MOST_LIMITS ? OTHERS : name;
    return known ?? getOrCreate(this.#limits, shown, () => this.#newLimit(shown));
  }

  /** Returns the counts of a limit that a policy has, or has had. */
  limitSoFar(name: string): LimitRecorder {
    return this.#limits.get(name) ?? this.#others();
  }

  /** Notes that one more policy has these limits. */
  added(limits: readonly LimitRecorder[]): void {
    for (const recorder of limits) {
      recorder.added();
      this.#gone.delete(recorder);
      getOrCreate(this.#limits, recorder.name, () => recorder);
    }
  }

  /**
   * Notes that one policy has these limits no more. The limits that were removed last stay by themselves. What those before
   * them have counted moves to `'(others)'`, so that the numbers of all limits together only grow.
   */
  removed(limits: readonly LimitRecorder[]): void {
    for (const recorder of limits) {
      recorder.removed();
      if (!recorder.isInForce) this.#gone.add(recorder);
    }
    let tooMany = this.#gone.size - MOST_GONE;
    for (const recorder of this.#gone) {
      if (tooMany <= 0) return;
      if (recorder.slots > 0 || recorder.name === OTHERS) continue;
      this.#gone.delete(recorder);
      this.#limits.delete(recorder.name);
      if (recorder.isKnown) recorder.foldInto(this.#others());
      tooMany -= 1;
    }
  }

  #others(): LimitRecorder {
    const others = getOrCreate(this.#limits, OTHERS, () => new LimitRecorder(this.policy, OTHERS));
    others.isKnown = true;
    return others;
  }

  #newLimit(name: string): LimitRecorder {
    const recorder = new LimitRecorder(this.policy, name);
    this.#gone.add(recorder);
    return recorder;
  }
}

/** Far more than an application has. Names that a program makes without end must not fill the memory. */
const MOST_LIMITS = 1000;

/** How many limits that a policy has no more stay by themselves: one that comes back soon goes on counting. */
const MOST_GONE = 16;

const policies = new NamedRecorders(10_000, (name) => new PolicyRecorder(name));

/** Returns the counts of all policies with this name. The first call creates them. */
export function policyRecorder(name: string): PolicyRecorder {
  return policies.of(name);
}

/** Returns the counts of every policy of this process. */
export function allPolicyRecorders(): Iterable<PolicyRecorder> {
  return policies.all();
}
