import { createLlm, type Llm } from '@sluice/llm';
import type { CallEnded, DecisionSeen, Observation, VerdictSeen } from '../../fleet/observation.js';
import { heldOn, type ModelCharge, settledOn } from '../budgets/model-charge.js';
import { ModelCharges } from '../budgets/model-charges.js';
import type { PlanFacts, PlanLimitFacts } from '../budgets/plan-facts.js';
import type { CallRecord } from '../calls.js';
import type { Span } from '../conditions.js';
import type { Knowledge } from '../knowledge.js';
import type { Invariant, Violation } from '../violation.js';

/** "The process refuses the same key by itself, for at most a tenth of a second" (packages/redis/docs/keys-and-calls.md). */
const REFUSED_AGAIN_MS = 110;

const MINUTE_MS = 60_000;

/**
 * What is spent on calls of models (packages/llm/docs/llm-budgets.md).
 *
 * `budget-admitted`: "a call first holds an estimate", so that calls at the same time pass no limit together. `budget-charged`: "what is
 * charged when", once. `budget-slots`: "calls at the same time". `budget-bound`: "a limit can be passed, by at most this much". `budget-settled`: "it corrects them exactly once, after the
 * call has ended". `budget-overspent`: with `hold: 'ceiling'` for money "no limit is ever passed".
 *
 * Stores that lend or synchronize count later, so nothing exact can be said of them. The same holds after a loss, or if a clock was set.
 */
export class Budget implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #charges: ModelCharges;
  readonly #isWatched: boolean;
  /** Keys that may have counted more than their limit: "the oldest units are dropped" then. */
  readonly #overcharged = new Set<string>();

  constructor(knowledge: Knowledge) {
    const { leaseMs, syncMs } = knowledge.facts.store;
    this.#knowledge = knowledge;
    this.#charges = new ModelCharges(knowledge);
    this.#isWatched = !this.#charges.isEmpty && leaseMs === 0 && syncMs === 0;
  }

  observe(observation: Observation): Violation | undefined {
    if (!this.#isWatched) return undefined;
    this.#charges.note(observation);
    const { conditions } = this.#knowledge;
    if (conditions.hasLosses || conditions.hasSetClocks || conditions.isResting(observation.atMs)) return undefined;
    if (observation.kind === 'answer') return this.#answered(observation);
    return observation.kind === 'model-call-over' ? this.#over(observation.call, observation.atMs) : undefined;
  }

  #answered(ended: CallEnded): Violation | undefined {
    const record = this.#knowledge.calls.record(ended.call);
    if (!record || !('decision' in ended.outcome)) return undefined;
    const plan = this.#charges.plan(record.began.policy);
    const { decision } = ended.outcome;
    if (!plan || decision.source !== 'store') return undefined;
    const isCached = !decision.allowed && !this.#knowledge.facts.store.isMemory;
    const seen = { fromMs: record.began.atMs - (isCached ? REFUSED_AGAIN_MS : 0), toMs: ended.atMs };
    const isLook = record.began.step.call === 'model-look';
    for (const limit of plan.limits) {
      const verdict = decision.verdicts.find(({ name }) => name === limit.name);
      if (!verdict || (isLook && this.#mayBeMissing(plan, verdict, decision))) continue;
      const found = isLook
        ? this.#looked(record, plan, limit, verdict, seen)
        : decision.allowed && this.#admitted(record, plan, limit, verdict, seen);
      if (found) return found;
    }
    return undefined;
  }

  /** "If one of the others refuses, the refusal stands": the limits of a node that failed then "count as unspent" (packages/core/docs/sharding.md). */
  #mayBeMissing({ setup }: PlanFacts, verdict: VerdictSeen, { allowed }: DecisionSeen): boolean {
    return !allowed && verdict.allowed && this.#knowledge.facts.store.isSharded && setup.together !== undefined;
  }

  #looked(
    { began, life }: CallRecord,
    plan: PlanFacts,
    limit: PlanLimitFacts,
    { used }: VerdictSeen,
    seen: Span,
  ): Violation | undefined {
    const charges = this.#charges.onKey(plan, limit, began.subject, life);
    const { least, most } = this.#charges.countedOn(charges, limit, seen);
    const key = this.#charges.keyOf(plan, limit, began.subject, life);
    if (most > limit.quota) this.#overcharged.add(key);
    const isMore = used > most && (limit.counts === 'slots' || !this.#knowledge.facts.mayChargeTwice);
    if (!isMore && (used >= least || this.#overcharged.has(key))) return undefined;
    return {
      invariant: limit.counts === 'slots' ? 'budget-slots' : 'budget-charged',
      atMs: seen.toMs,
      calls: [began.call, ...charges.slice(-3).map((charge) => charge.began.call)],
      says: `${limit.name} counts ${used}, and the calls cost ${least === most ? least : `${least} to ${most}`}.`,
    };
  }

  #admitted(
    { began, life }: CallRecord,
    plan: PlanFacts,
    limit: PlanLimitFacts,
    { cost }: VerdictSeen,
    seen: Span,
  ): Violation | undefined {
    const charges = this.#charges.onKey(plan, limit, began.subject, life);
    const except = this.#charges.charge(began.call);
    const { least, most } = this.#charges.countedOn(charges, limit, seen, except);
    const key = this.#charges.keyOf(plan, limit, began.subject, life);
    if (most + cost > limit.quota) this.#overcharged.add(key);
    if (this.#overcharged.has(key) && most > limit.quota) return undefined;
    if (least + cost <= limit.quota) return undefined;
    return {
      invariant: limit.counts === 'slots' ? 'budget-slots' : 'budget-admitted',
      atMs: seen.toMs,
      calls: [began.call, ...charges.slice(-3).map((charge) => charge.began.call)],
      says: `A call of ${cost} was admitted beside ${least}, and ${limit.name} is ${limit.quota}.`,
    };
  }

  #over(call: number, atMs: number): Violation | undefined {
    const charge = this.#charges.charge(call);
    if (!charge) return undefined;
    if (charge.hasFailed && !this.#mayFail(charge)) {
      return { invariant: 'budget-settled', atMs, calls: [call], says: 'Nothing fails, but a call was not settled.' };
    }
    for (const limit of charge.plan.limits) {
      const found =
        (limit.counts === 'tokens' && this.#passed(charge, limit, atMs)) ||
        (limit.counts === 'money' && this.#overspent(charge, limit, atMs));
      if (found) return found;
    }
    return undefined;
  }

  /** Adds up what the calls of a day or a month cost, so far as they are settled. */
  #overspent({ plan, began, life }: ModelCharge, limit: PlanLimitFacts, atMs: number): Violation | undefined {
    if (plan.setup.hold === 'expected') return undefined;
    const now = { fromMs: atMs, toMs: atMs };
    const counted = this.#charges.onKey(plan, limit, began.subject, life).filter((one) => {
      const charged = { fromMs: one.began.atMs, toMs: one.answeredMs };
      return this.#charges.isSettled(one) && this.#charges.window.surelyCounts(limit.period, charged, now);
    });
    const costs = counted.map((one) => (one.ends ? settledOn(one, limit, one.ends).least : 0));
    const cost = costs.reduce((sum, units) => sum + units, 0);
    if (cost <= limit.quota) return undefined;
    return {
      invariant: 'budget-overspent',
      atMs,
      calls: counted.map((one) => one.began.call),
      says: `The calls cost ${cost}, and ${limit.name} is ${limit.quota}.`,
    };
  }

  #mayFail({ life, ends, began, state, overMs }: ModelCharge): boolean {
    const { conditions, facts } = this.#knowledge;
    const isSlow = 8 * facts.mostDelayMs * facts.store.nodesAsked >= facts.store.timeoutMs;
    if (facts.store.isMemory) return life.closingMs <= overMs;
    if (!facts.keepsMessages || isSlow || facts.store.hasTable || state !== 'held') return true;
    return life.closingMs <= overMs || conditions.isTroubled(began.process, ends?.atMs ?? overMs, overMs);
  }

  /** Compares what the calls of a minute used with the bound, for each minute with this call. */
  #passed(charge: ModelCharge, limit: PlanLimitFacts, atMs: number): Violation | undefined {
    const { plan, began, life } = charge;
    const numbers = limit.isShared ? plan.setup.together : plan.setup.limits;
    // Who holds less than it uses has a bound only while every slot is renewed.
    if (plan.setup.hold !== 'ceiling' && (numbers?.parallel === undefined || this.#knowledge.conditions.hasFaults))
      return undefined;
    const all = this.#charges.onKey(plan, limit, began.subject, life).filter((one) => this.#charges.isSettled(one));
    const lengthMs = MINUTE_MS * (1 - this.#knowledge.facts.drift) - 2;
    for (const last of all) {
      const fromMs = last.answeredMs - lengthMs;
      const minute = all.filter((one) => one.began.atMs > fromMs && one.answeredMs <= last.answeredMs);
      if (!minute.includes(charge)) continue;
      const uses = minute.map((one) => (one.ends ? settledOn(one, limit, one.ends).least : 0));
      const used = uses.reduce((sum, units) => sum + units, 0);
      const held = minute.map((one) => heldOn(one, limit));
      const bound = boundOf(plan, limit, numbers?.parallel, { most: Math.max(...uses), least: Math.min(...held) });
      if (used <= bound) continue;
      const calls = minute.map((one) => one.began.call);
      return {
        invariant: 'budget-bound',
        atMs,
        calls,
        says: `The calls of a minute used ${used} on ${limit.name}, and the bound is ${bound}.`,
      };
    }
    return undefined;
  }
}

let planner: Readonly<Record<PlanFacts['setup']['hold'], Llm<[]>>> | undefined;

/** "`llm.boundOf` computes the bound." */
function boundOf(
  { setup }: PlanFacts,
  { quota }: PlanLimitFacts,
  parallel: number | undefined,
  { most, least }: { readonly most: number; readonly least: number },
): number {
  planner ??= {
    default: createLlm<[]>({ call: () => ({}), plan: {} }),
    expected: createLlm<[]>({ call: () => ({}), plan: {}, hold: 'expected' }),
    ceiling: createLlm<[]>({ call: () => ({}), plan: {}, hold: 'ceiling' }),
  };
  const plan = { tpm: quota, ...(parallel !== undefined && { parallel }) };
  const range = { most: { tokens: most }, least: { tokens: least } };
  return planner[setup.hold].boundOf(plan, MINUTE_MS, range).tokens;
}
