import { encodeKey, hash } from '@sluice/core/values';
import type { CallEnded, Observation } from '../../fleet/observation.js';
import { BudgetWindow } from '../budgets/budget-window.js';
import { type PlanFacts, type PlanLimitFacts, planFacts } from '../budgets/plan-facts.js';
import type { Life } from '../conditions.js';
import type { Knowledge } from '../knowledge.js';
import type { Invariant, Violation } from '../violation.js';

/** "Default: `[0.5, 0.8, 1]`." */
const THRESHOLDS = [0.5, 0.8, 1] as const;

/** A report comes after the decision and a small write, which may be that late without a fault, to servers that are far. */
const SOON_MS = 10_000;

/** A threshold of one budget, as a report names it. */
interface Passed {
  readonly policy: string;
  readonly limit: string;
  readonly key: string;
  readonly threshold: number;
}

/**
 * What is reported of budgets (packages/llm/docs/what-was-spent.md, `watchBudgets`).
 *
 * `threshold-once`: "a threshold is reported once for each window, by one of all processes that share the store". `threshold-told`: a
 * budget that has reached a threshold is reported.
 *
 * "If the store fails, each process reports", so nothing is said after a fault. Stores that lend or synchronize count later.
 */
export class Thresholds implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #window: BudgetWindow;
  readonly #plans: ReadonlyMap<string, PlanFacts>;
  readonly #isWatched: boolean;
  /** When each was reported. */
  readonly #reports = new Map<string, number[]>();
  /** What decisions have shown, and when first. */
  readonly #reached = new Map<string, { readonly passed: Passed; readonly life: Life; readonly atMs: number }>();

  constructor(knowledge: Knowledge) {
    const { facts } = knowledge;
    const { leaseMs, syncMs } = facts.store;
    this.#knowledge = knowledge;
    this.#window = new BudgetWindow(facts);
    this.#plans = planFacts(facts.setup);
    const isWatched = (facts.setup.plans ?? []).some((plan) => plan.isWatched);
    this.#isWatched = isWatched && leaseMs === 0 && syncMs === 0 && facts.isPrompt && facts.setup.network.twice === 0;
  }

  observe(observation: Observation): Violation | undefined {
    if (!this.#isWatched || this.#knowledge.conditions.hasFaults) return undefined;
    if (observation.kind === 'answer') this.#noteDecision(observation);
    if (observation.kind === 'rest') return this.#untold(observation.atMs);
    if (observation.kind !== 'event' || observation.event !== 'budget-reached') return undefined;
    return this.#noteReport(observation.detail as Passed, observation.process, observation.atMs);
  }

  #noteReport(passed: Passed, process: number, atMs: number): Violation | undefined {
    const limit = this.#limitOf(passed);
    if (!limit) return undefined;
    const name = this.#nameOf(passed, process);
    const before = this.#reports.get(name) ?? [];
    this.#reports.set(name, [...before, atMs]);
    const now = { fromMs: atMs, toMs: atMs };
    const isRepeated = before.some((earlierMs) =>
      this.#window.surelyCounts(limit.period, { fromMs: Math.max(0, earlierMs - SOON_MS), toMs: earlierMs }, now),
    );
    if (!isRepeated) return undefined;
    return { invariant: 'threshold-once', atMs, calls: [], says: `${textOf(passed)} is reported twice.` };
  }

  #noteDecision({ call, atMs, outcome }: CallEnded): void {
    const record = this.#knowledge.calls.record(call);
    const plan = record && this.#plans.get(record.began.policy);
    if (!plan || record.began.step.call !== 'model-call' || !('decision' in outcome)) return;
    const { source, verdicts } = outcome.decision;
    if (source !== 'store') return;
    for (const limit of plan.limits) {
      const used = verdicts.find(({ name }) => name === limit.name)?.used ?? 0;
      if (limit.counts !== 'money') continue;
      const key = hash(encodeKey(limit.isShared ? 'everyone' : record.began.subject));
      for (const threshold of THRESHOLDS) {
        if (used < Math.ceil(limit.quota * threshold)) continue;
        const passed = { policy: plan.name, limit: limit.name, key, threshold };
        const name = this.#nameOf(passed, record.began.process);
        if (!this.#reached.has(name)) this.#reached.set(name, { passed, life: record.life, atMs });
      }
    }
  }

  #untold(atMs: number): Violation | undefined {
    for (const [name, { passed, life, atMs: reachedMs }] of this.#reached) {
      if (life.closingMs <= reachedMs + SOON_MS) continue;
      if (this.#reports.get(name)?.some((reportedMs) => reportedMs <= reachedMs + SOON_MS)) continue;
      const says = `${textOf(passed)} was reached, and nobody has reported it.`;
      return { invariant: 'threshold-told', atMs, calls: [], says };
    }
    return undefined;
  }

  #limitOf({ policy, limit }: Passed): PlanLimitFacts | undefined {
    return this.#plans.get(policy)?.limits.find(({ name }) => name === limit);
  }

  /** In memory, each process has marks of its own. */
  #nameOf({ policy, limit, key, threshold }: Passed, process: number): string {
    return JSON.stringify([policy, limit, key, threshold, this.#knowledge.facts.store.isMemory ? process : '']);
  }
}

function textOf({ limit, threshold }: Passed): string {
  return `${threshold * 100} % of ${limit}`;
}
