import type {
  CallBegan,
  CallEnded,
  ModelCallEnds,
  ModelCallOver,
  ModelPart,
  Observation,
} from '../../fleet/observation.js';
import { Certainty } from '../certainty.js';
import type { Conditions, Life, Span } from '../conditions.js';
import type { Knowledge } from '../knowledge.js';
import type { SetupFacts } from '../setup-facts.js';
import { TIMEOUTS_OF_A_LOST_CALL } from '../stated-times.js';
import { BudgetWindow } from './budget-window.js';
import { either, exactly, heldOn, keptOn, type ModelCharge, mostOn, type Range, settledOn } from './model-charge.js';
import { type PlanFacts, type PlanLimitFacts, planFacts, timeoutOfPlan } from './plan-facts.js';

/** "A slot that is not renewed" is free when its lease ends: 30 seconds for a plan. */
const LEASE_MS = 30_000;

/** What is due, or given back after a refusal, happens that much later at most. */
const SOON_MS = 1000;

/** Timers and clocks of a process are that exact. */
const EXACT_MS = 5;

/** What is known of the calls of models of a run, by the keys of their limits. */
export class ModelCharges {
  readonly window: BudgetWindow;
  readonly #facts: SetupFacts;
  readonly #conditions: Conditions;
  readonly #certainty: Certainty;
  readonly #plans: ReadonlyMap<string, PlanFacts>;
  readonly #charges = new Map<number, ModelCharge>();
  readonly #keys = new Map<string, ModelCharge[]>();

  constructor(knowledge: Knowledge) {
    const { facts, conditions } = knowledge;
    this.window = new BudgetWindow(facts);
    this.#facts = facts;
    this.#conditions = conditions;
    this.#certainty = new Certainty(knowledge);
    this.#plans = planFacts(facts.setup);
  }

  get isEmpty(): boolean {
    return this.#plans.size === 0;
  }

  plan(name: string): PlanFacts | undefined {
    return this.#plans.get(name);
  }

  charge(call: number): ModelCharge | undefined {
    return this.#charges.get(call);
  }

  /** Returns the calls that may count on a limit, as seen by a process and for a subject. */
  onKey(plan: PlanFacts, limit: PlanLimitFacts, subject: string, life: Life): readonly ModelCharge[] {
    return this.#keys.get(this.keyOf(plan, limit, subject, life)) ?? [];
  }

  /** Returns the name of the key of a limit. In memory, each process has its own. */
  keyOf({ name }: PlanFacts, limit: PlanLimitFacts, subject: string, life: Life): string {
    const place = this.#facts.store.isMemory ? `@${life.number}` : '';
    return `${name} ${limit.name} ${limit.isShared ? '*' : subject}${place}`;
  }

  note(observation: Observation): void {
    if (observation.kind === 'call') this.#noteCall(observation);
    else if (observation.kind === 'answer') this.#noteAnswer(observation);
    else if (observation.kind === 'model-part') this.#notePart(observation);
    else if (observation.kind === 'model-call-ends') this.#noteEnds(observation);
    else if (observation.kind === 'model-call-over') this.#noteOver(observation);
  }

  #noteCall(began: CallBegan): void {
    const plan = this.#plans.get(began.policy);
    const { step } = began;
    if (!plan || step.call !== 'model-call') return;
    const life = this.#conditions.lifeOf(began.process);
    const charge: ModelCharge = {
      began,
      step,
      plan,
      life,
      answeredMs: Number.POSITIVE_INFINITY,
      state: 'open',
      decision: undefined,
      movedMs: began.atMs,
      letters: 0,
      mayBeAbandoned: false,
      ends: undefined,
      overMs: Number.POSITIVE_INFINITY,
      hasFailed: false,
    };
    this.#charges.set(began.call, charge);
    for (const limit of plan.limits) {
      const key = this.keyOf(plan, limit, began.subject, life);
      const known = this.#keys.get(key) ?? [];
      known.push(charge);
      this.#keys.set(key, known);
    }
  }

  #noteAnswer({ call, atMs, outcome }: CallEnded): void {
    const charge = this.#charges.get(call);
    if (!charge) return;
    charge.movedMs = atMs;
    if (!('decision' in outcome)) {
      charge.state = 'uncertain';
      return;
    }
    const { decision } = outcome;
    if (decision.source !== 'store') {
      charge.state = 'uncertain';
      return;
    }
    charge.decision = decision;
    charge.answeredMs = atMs;
    charge.state = decision.allowed ? 'held' : 'refused';
  }

  #notePart({ call, atMs, letters }: ModelPart): void {
    const charge = this.#charges.get(call);
    if (!charge) return;
    charge.mayBeAbandoned ||= isLate(charge, atMs);
    charge.movedMs = atMs;
    charge.letters = letters;
  }

  #noteEnds(ends: ModelCallEnds): void {
    const charge = this.#charges.get(ends.call);
    if (!charge) return;
    charge.ends = ends;
    charge.mayBeAbandoned ||= isLate(charge, ends.atMs);
  }

  #noteOver({ call, atMs, hasFailed }: ModelCallOver): void {
    const charge = this.#charges.get(call);
    if (!charge) return;
    charge.overMs = atMs;
    charge.hasFailed = hasFailed === true;
  }

  /**
   * Returns how many units a limit counts in some time, at least and at most.
   *
   * @param except - a call that is not counted
   */
  countedOn(charges: readonly ModelCharge[], limit: PlanLimitFacts, seen: Span, except?: ModelCharge): Range {
    let [least, most] = [0, 0];
    for (const charge of charges) {
      if (charge === except) continue;
      const one = limit.counts === 'slots' ? this.#slotOf(charge, seen) : this.#unitsOf(charge, limit, seen);
      least += one.least;
      most += one.most;
    }
    return { least, most };
  }

  #unitsOf(charge: ModelCharge, limit: PlanLimitFacts, seen: Span): Range {
    const { began, state, ends, overMs } = charge;
    const held = heldOn(charge, limit);
    const charged = { fromMs: began.atMs, toMs: charge.answeredMs };
    const mayCount = this.window.mayCount(limit.period, charged, seen);
    const lost = mayCount ? held * this.#mostLost(charge, seen) : 0;
    if (state === 'refused') return { least: 0, most: lost + (this.#mayLinger(charge, seen) ? held : 0) };
    const corrected = { fromMs: ends?.atMs ?? seen.toMs, toMs: overMs };
    const { least, most } = this.#amountAt(charge, limit, seen);
    const isSure = state === 'held' && this.window.surelyCounts(limit.period, charged, seen);
    const isMoreSure = state === 'held' && this.window.surelyCounts(limit.period, corrected, seen);
    const mayCountMore = this.window.mayCount(limit.period, corrected, seen);
    return {
      least: (isSure ? Math.min(held, least) : 0) + (isMoreSure ? Math.max(0, least - held) : 0),
      most: lost + (mayCount ? Math.min(held, most) : 0) + (mayCountMore ? Math.max(0, most - held) : 0),
    };
  }

  /** Returns how often a call may have been charged without that its process heard of it, beside the reply that it got. */
  #mostLost({ began, life, plan, answeredMs }: ModelCharge, { toMs }: Span): number {
    const untilMs = Math.min(answeredMs, toMs);
    if (!this.#certainty.isShaky({ lives: [life], began }, untilMs)) return 0;
    const timeoutMs = timeoutOfPlan(plan.setup, this.#facts.store.timeoutMs);
    return this.#certainty.mostSent({ beganMs: began.atMs }, untilMs, timeoutMs) - 1;
  }

  /** Returns what a call has been charged in some time: what it holds, what it was settled with, or one of both. */
  #amountAt(charge: ModelCharge, limit: PlanLimitFacts, seen: Span): Range {
    const { ends, step, mayBeAbandoned } = charge;
    const held = exactly(heldOn(charge, limit));
    if (!ends || ends.atMs > seen.toMs) {
      // "Was never ended by your code: at least what was held." Nobody knows what had been stated, if it is ended later.
      const isLeft = mayBeAbandoned || isLate(charge, seen.toMs);
      if (!isLeft) return held;
      return step.ends === 'never' ? keptOn(charge, limit) : either(exactly(0), exactly(mostOn(charge, limit)));
    }
    const settled = settledOn(charge, limit, ends);
    return this.isSettled(charge) && charge.overMs < seen.fromMs ? settled : either(held, settled);
  }

  /** Whether a call was certainly settled as the application said. */
  isSettled({ ends, overMs, hasFailed, mayBeAbandoned, state, life, began, plan }: ModelCharge): boolean {
    if (!ends || !Number.isFinite(overMs) || hasFailed || mayBeAbandoned || state !== 'held') return false;
    if (life.closingMs <= overMs) return false;
    const { store, isQuick, keepsMessages } = this.#facts;
    if (store.isMemory) return true;
    // "If it does not answer in time when they end, what they hold and do not use stays charged, unless the correction arrives later."
    const isInTime = isQuick && overMs - ends.atMs < timeoutOfPlan(plan.setup, store.timeoutMs) - EXACT_MS;
    return isInTime && keepsMessages && !this.#conditions.isTroubled(began.process, ends.atMs, overMs);
  }

  #slotOf(charge: ModelCharge, seen: Span): Range {
    const { began, state, answeredMs, ends, life } = charge;
    if (began.atMs > seen.toMs) return exactly(0);
    if (state === 'refused') {
      // "If the reply was lost, the slot is free again at the end of its lease."
      const isLeased = seen.fromMs <= answeredMs + LEASE_MS * (1 + this.#facts.drift) + SOON_MS;
      const mayBeHeld = this.#mayLinger(charge, seen) || (isLeased && this.#mostLost(charge, seen) > 0);
      return { least: 0, most: mayBeHeld ? 1 : 0 };
    }
    if (state !== 'held') return { least: 0, most: 1 };
    const isTroubled = this.#conditions.isAnyTroubled(began.atMs, seen.toMs);
    const isRunning = answeredMs <= seen.fromMs && (!ends || ends.atMs > seen.toMs);
    const isAlive = life.endedMs > seen.toMs && life.closingMs > seen.toMs;
    const isLeft = charge.mayBeAbandoned || isLate(charge, seen.toMs);
    const isHeld = isRunning && isAlive && !isLeft && !isTroubled && this.#facts.keepsLease(LEASE_MS);
    const isFree = !isTroubled && this.#freeAfterMs(charge) < seen.fromMs;
    return { least: isHeld ? 1 : 0, most: isFree ? 0 : 1 };
  }

  /** Returns since when the slot of a call is free; Infinity if nobody knows. */
  #freeAfterMs(charge: ModelCharge): number {
    const { store, drift } = this.#facts;
    const { life, plan, movedMs, hasFailed, overMs } = charge;
    const endedMs = Math.min(life.endedMs, life.closingMs);
    const diedMs = endedMs + LEASE_MS * (1 + drift) + SOON_MS;
    const correctedMs = SOON_MS + TIMEOUTS_OF_A_LOST_CALL * timeoutOfPlan(plan.setup, store.timeoutMs);
    // A correction that others overtake too often is given up, and the lease ends the slot.
    const leftMs = this.#facts.isPrompt ? 0 : LEASE_MS * (1 + drift);
    const abandonedMs = movedMs + plan.setup.maxHoldMs + correctedMs + leftMs;
    // Calls about one key wait for each other over a table, until some are late. Nothing is sent to a server after that for a while.
    const lateMs = store.hasTable ? LEASE_MS * (1 + drift) + SOON_MS : 0;
    const settledMs = hasFailed || !this.#facts.keepsMessages ? Number.POSITIVE_INFINITY : overMs + lateMs;
    // A process that has ended gives up no call.
    const isGivenUp = this.#facts.keepsMessages && endedMs > abandonedMs;
    return Math.min(diedMs, isGivenUp ? abandonedMs : Number.POSITIVE_INFINITY, settledMs);
  }

  /**
   * "For a moment a key may have less left than it should. A node that does not take its units back within the timeout of the policy keeps
   * them" (packages/core/docs/sharding.md).
   */
  #mayLinger({ began, answeredMs, plan }: ModelCharge, { fromMs, toMs }: Span): boolean {
    const { store, keepsMessages } = this.#facts;
    if (!store.isSharded) return began.atMs <= toMs && answeredMs >= fromMs;
    const isQuick = store.isMemory || this.#facts.isQuickWithin(timeoutOfPlan(plan.setup, store.timeoutMs));
    if (!isQuick || !keepsMessages || this.#conditions.isAnyTroubled(began.atMs, toMs)) return began.atMs <= toMs;
    return began.atMs <= toMs && fromMs <= answeredMs + SOON_MS;
  }
}

/** Whether a call may count as one that nobody ends: it "made no progress" for the longest hold. */
function isLate({ movedMs, plan }: ModelCharge, atMs: number): boolean {
  return atMs - movedMs >= plan.setup.maxHoldMs - EXACT_MS;
}
