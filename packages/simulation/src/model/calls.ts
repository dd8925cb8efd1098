import type { CallBegan, CallEnded, DecisionSeen, Observation, WorkBegan } from '../fleet/observation.js';
import type { CallStep } from '../tape/tape.js';
import {
  type Charge,
  type Correction,
  correctableMs,
  type Expiry,
  isCorrectedBy,
  KeyHistory,
  mayBeOver,
  type Return,
} from './charges.js';
import type { Conditions, Life } from './conditions.js';
import { isSurelyLeased } from './leases.js';
import { costOn, type PolicyFacts, type SetupFacts } from './setup-facts.js';
import { PAUSE_MS, REMEMBERED_MS } from './stated-times.js';
import { Variants } from './variants.js';

/** A call, and what has become of it. */
export interface CallRecord {
  readonly began: CallBegan;
  readonly life: Life;
  readonly policy: PolicyFacts | undefined;
  /** What it spends, or corrects. */
  readonly charge: Charge | undefined;
  readonly correction: Correction | undefined;
  /** The operation that it names, as far as that was known when it began. */
  readonly operation: Operation | undefined;
  /** How many other calls of its process had no answer when it began. */
  readonly besides: number;
  ended: CallEnded | undefined;
  workMs: number | undefined;
}

/** Calls of one operation, which have one id: all of them get the first reply. */
export interface Operation {
  readonly charge: Charge;
  readonly rememberMs: number;
  /** The last call that may repeat the charge, or may have begun the operation anew: who comes after it may repeat either. */
  later: Charge | undefined;
  readonly answered: { readonly record: CallRecord; readonly decision: DecisionSeen }[];
}

/** What is known of the calls of a run: which are under way, what they spent and gave back, on which keys. */
export class Calls {
  readonly variants: Variants;
  readonly #facts: SetupFacts;
  readonly #conditions: Conditions;
  readonly #records = new Map<number, CallRecord>();
  readonly #operations = new Map<string, Operation>();
  readonly #keys = new Map<string, KeyHistory>();
  /** Of each policy, variant and subject: the keys of its limits. */
  readonly #keysOf = new Map<string, readonly KeyHistory[]>();
  /** The dearest request until now, by policy. */
  readonly #largestCosts: number[];
  readonly #returns = new Map<number, readonly Return[]>();
  readonly #openOf: number[];
  readonly #lastAnswerOf: number[];
  /** Of each process: when its last decision began that its store was asked for. */
  readonly #lastAskedOf: number[];

  constructor(facts: SetupFacts, conditions: Conditions) {
    this.#facts = facts;
    this.#conditions = conditions;
    this.variants = new Variants(facts.policies);
    this.#largestCosts = facts.policies.map(() => 0);
    this.#openOf = facts.setup.processes.map(() => 0);
    this.#lastAskedOf = facts.setup.processes.map(() => Number.NEGATIVE_INFINITY);
    this.#lastAnswerOf = facts.setup.processes.map(() => Number.NEGATIVE_INFINITY);
  }

  record(call: number): CallRecord | undefined {
    return this.#records.get(call);
  }

  /** All calls, in the order in which they began. */
  all(): IterableIterator<CallRecord> {
    return this.#records.values();
  }

  /** Returns the keys that a call asks about, one for each limit that was in force when it began. */
  keysOfCall({ began, policy, life }: CallRecord): readonly KeyHistory[] {
    return policy ? this.#keysFor(policy, began.variant, began.subject, life) : [];
  }

  largestCost({ index }: PolicyFacts): number {
    return this.#largestCosts[index] as number;
  }

  /** Whether another process may have asked the same servers since some moment. */
  isContended(process: number, sinceMs: number): boolean {
    return this.#openOf.some((open, i) => i !== process && (open > 0 || (this.#lastAnswerOf[i] as number) >= sinceMs));
  }

  /** Whether a process has asked its store since some moment, before this call. */
  hasAskedSince(sinceMs: number, { began, life }: CallRecord): boolean {
    const askedMs = this.#lastAskedOf[began.process] as number;
    return askedMs > sinceMs && askedMs < began.atMs && askedMs >= life.beganMs;
  }

  note(observation: Observation): void {
    switch (observation.kind) {
      case 'call':
        this.#noteCall(observation);
        return;
      case 'answer':
        this.#noteAnswer(observation);
        return;
      case 'work':
        this.#noteWork(observation);
        return;
      case 'work-over': {
        const charge = this.#records.get(observation.call)?.charge;
        if (charge) charge.workOverMs = observation.atMs;
        return;
      }
      default:
    }
  }

  #noteCall(began: CallBegan): void {
    const { step, process, atMs } = began;
    const life = this.#conditions.lifeOf(process);
    const policy = this.#facts.policy(began.policy);
    const besides = this.#openOf[process] as number;
    this.#openOf[process] = besides + 1;
    const id = this.#operationId(began, life);
    const charge = this.#noteCharge(began, life, policy, id);
    const record: CallRecord = {
      began,
      life,
      policy,
      besides,
      charge,
      correction: correctionOf(began, this.#isAtCharge(began)),
      operation: id === undefined ? undefined : this.#operations.get(id),
      ended: undefined,
      workMs: undefined,
    };
    this.#records.set(began.call, record);
    if (policy) this.variants.use(policy, began.variant, atMs);
    if (record.correction) {
      for (let one = record.charge; one; one = one.mayRepeat) one.corrections.push(record.correction);
    }
    if (step.call === 'replace' && policy) this.variants.replace(life, policy, began.variant);
    if (record.charge) this.#touch(record, record.charge);
    if (policy && (step.call === 'refund' || step.call === 'reset')) this.#noteReturn(record, policy);
  }

  #isAtCharge({ corrects }: CallBegan): boolean {
    const made = corrects === undefined ? undefined : this.#records.get(corrects);
    const outcome = made?.ended?.outcome;
    return outcome !== undefined && 'decision' in outcome && outcome.decision.source === made?.charge?.source;
  }

  #noteCharge(
    began: CallBegan,
    life: Life,
    policy: PolicyFacts | undefined,
    id: string | undefined,
  ): Charge | undefined {
    const { step } = began;
    if (began.corrects !== undefined) return this.#records.get(began.corrects)?.charge;
    if (!policy || !spends(step)) return undefined;
    this.#largestCosts[policy.index] = Math.max(this.largestCost(policy), step.cost, policy.largestOwnCost);
    const known = id === undefined ? undefined : this.#operations.get(id);
    const isAnew = known !== undefined && this.#mayBeDecidedAnew(known.charge, began.atMs);
    // Of calls at the same time, each may be the first one.
    if (known && known.charge.source !== 'store') known.charge.expiries.push(expiryOf(began));
    if (known && !isAnew && this.#isRemembered(known, began.atMs)) {
      known.charge.lives.push(life);
      known.charge.calls.push(began.call);
      known.charge.lastBeganMs = began.atMs;
      return known.charge;
    }
    const keys = this.#keysFor(policy, began.variant, began.subject, life);
    const isEnded = isAnew && this.#facts.isPrompt && this.#isFreed(known.charge, began);
    const charge = newCharge({
      began,
      life,
      policy,
      keys,
      cost: step.cost,
      mayRepeat: known?.later ?? (isEnded ? undefined : known?.charge),
    });
    if (known && !isAnew) known.later = charge;
    else if (id !== undefined) {
      const rememberMs = ('rememberMs' in step ? step.rememberMs : undefined) ?? REMEMBERED_MS;
      this.#operations.set(id, { charge, rememberMs, later: undefined, answered: [] });
    }
    return charge;
  }

  /**
   * "If it had a slot, it is decided anew, and charged anew" (packages/core/docs/answers.md, Repeated reservations). A slot may be lost
   * at any time by a fault, or by a lease that nobody renews in time.
   */
  #mayBeDecidedAnew(charge: Charge, atMs: number): boolean {
    const { policy, corrections, state, expiries, lives, mayRepeat, keys } = charge;
    if (mayRepeat && this.#mayBeDecidedAnew(mayRepeat, atMs)) return true;
    if (!policy.hasSlots || state === 'refused') return false;
    const mayHaveEnded = expiries.some((one) => mayBeOver(one, atMs, 0));
    if (mayHaveEnded || corrections.length > 0 || lives.some(({ endedMs }) => endedMs <= atMs)) return true;
    const decidedMs = atMs + this.#facts.store.timeoutMs;
    const known = { facts: this.#facts, conditions: this.#conditions };
    return keys.some((key) => key.algorithm === 'concurrency' && !isSurelyLeased(charge, key, decidedMs, known));
  }

  /**
   * Whether a charge certainly took a slot, of limits that a call asks again, and a correction has certainly freed it. A call that was
   * under way meanwhile may have been decided anew after the correction: then a later one repeats that.
   */
  #isFreed(charge: Charge, { atMs, variant }: CallBegan): boolean {
    const { limits, cost, mayRepeat, source } = charge;
    if (mayRepeat || variant !== charge.began.variant || source !== 'store') return false;
    if (!limits.some((limit) => limit.algorithm === 'concurrency' && limit.isEnforced && costOn(limit, cost) > 0))
      return false;
    return charge.corrections.some(
      (one) =>
        one.kind !== 'share' &&
        isCorrectedBy(charge, one) &&
        one.answeredMs <= atMs &&
        this.#isMade(one) &&
        charge.calls.every((call) => this.#isAnsweredBy(call, one.beganMs)),
    );
  }

  #isAnsweredBy(call: number, atMs: number): boolean {
    return (this.#records.get(call)?.ended?.atMs ?? Number.POSITIVE_INFINITY) <= atMs;
  }

  /** Whether nothing kept the store from making a correction. Whoever corrects a reservation is not told. */
  #isMade({ call, beganMs, answeredMs }: Correction): boolean {
    const life = this.#records.get(call)?.life;
    return life !== undefined && !this.#conditions.isTroubled(life.process, beganMs, answeredMs);
  }

  #isRemembered({ charge, rememberMs }: Operation, atMs: number): boolean {
    const { drift, store } = this.#facts;
    return atMs + 2 * store.timeoutMs + 1 < charge.began.atMs + rememberMs / (1 + drift);
  }

  /**
   * "Another key, cost, policy or verb with the same id is another operation, and so is one whose limits have other names, algorithms,
   * keys or costs. The numbers of a limit do not count" (packages/core/docs/answers.md).
   */
  #operationId({ step, policy, subject, variant }: CallBegan, life: Life): string | undefined {
    if ((step.call !== 'consume' && step.call !== 'reserve') || step.id === undefined) return undefined;
    const place = this.#facts.store.isMemory ? life.number : '';
    const limits = this.#facts.policy(policy)?.variants[variant] ?? [];
    const spent = limits.map(
      (limit) => `${limit.name} ${limit.algorithm} ${limit.setup.by} ${costOn(limit, step.cost)}`,
    );
    return `${policy} ${step.call} ${subject} ${spent.join()} ${place} ${step.id}`;
  }

  #touch(record: CallRecord, charge: Charge): void {
    const isFirst = charge.calls[0] === record.began.call;
    for (const key of charge.keys) {
      key.use(record.began.atMs);
      key.open += 1;
      // A late correction, or a repeated call, may come when the key had long been fresh.
      if (isFirst || (key.bornMs > charge.beganMs && !key.charges.includes(charge))) key.charges.push(charge);
      if (charge.isUnchecked || record.correction) key.wasOvercharged ||= this.#mayOvercharge(record);
    }
  }

  #mayOvercharge({ charge, correction }: CallRecord): boolean {
    if (!correction) return charge?.limits.some((limit) => costOn(limit, charge.cost) > 0) === true;
    return charge !== undefined && (correction.actual ?? 0) > charge.cost;
  }

  #noteReturn({ began, life }: CallRecord, policy: PolicyFacts): void {
    const { step, atMs, call } = began;
    const returns = (policy.variants[began.variant] ?? []).map((limit, i) => {
      const key = this.#keysFor(policy, began.variant, began.subject, life)[i] as KeyHistory;
      key.use(atMs);
      key.open += 1;
      const units = step.call === 'refund' ? costOn(limit, step.cost) : Number.POSITIVE_INFINITY;
      const one: Return = { beganMs: atMs, answeredMs: Number.POSITIVE_INFINITY, units };
      (step.call === 'refund' ? key.refunds : key.resets).push(one);
      return one;
    });
    this.#returns.set(call, returns);
  }

  #noteAnswer(ended: CallEnded): void {
    const record = this.#records.get(ended.call);
    if (!record) return;
    const { process } = record.began;
    record.ended = ended;
    this.#openOf[process] = (this.#openOf[process] as number) - 1;
    this.#lastAnswerOf[process] = ended.atMs;
    if ('decision' in ended.outcome && ended.atMs > record.began.atMs) this.#lastAskedOf[process] = record.began.atMs;
    const { policy, charge, correction } = record;
    if (policy) this.variants.useOf(record, policy, ended.atMs);
    const failed = 'error' in ended.outcome;
    if (correction) {
      correction.answeredMs = ended.atMs;
      // If it was too late, nothing was given back or freed.
      correction.failed = failed || ('result' in ended.outcome && ended.outcome.result === 'expired');
      correction.mayBeLate = charge !== undefined && this.#mayBeLate(charge, correction);
    } else if (charge) {
      this.#noteDecision(record, charge, ended);
    }
    if (charge) for (const key of charge.keys) this.#letGo(key, ended.atMs);
    const returns = this.#returns.get(ended.call);
    if (returns) this.#endReturns(record, returns, ended, failed);
  }

  /**
   * "After the end, `settle` and `cancel` of the reservation leave the units as they are." Of a charge with an id: "Later corrections
   * change nothing" (packages/core/docs/answers.md).
   */
  #mayBeLate({ began: { step }, beganMs, corrections }: Charge, { answeredMs }: Correction): boolean {
    const latestMs = answeredMs + this.#conditions.aheadMs(answeredMs) + 1;
    const hasId = 'id' in step && step.id !== undefined;
    if (hasId && latestMs >= beganMs + correctableMs(step)) return true;
    return corrections.some(({ expiresMs }) => expiresMs !== undefined && beganMs + expiresMs <= latestMs);
  }

  #letGo(key: KeyHistory, atMs: number): void {
    key.open -= 1;
    key.usedMs = Math.max(key.usedMs, atMs);
  }

  /** Units that could not be given back may be given back later. */
  #endReturns(
    { policy, began, life }: CallRecord,
    returns: readonly Return[],
    ended: CallEnded,
    failed: boolean,
  ): void {
    const isSure = !failed && !('decision' in ended.outcome && ended.outcome.decision.source !== 'store');
    if (isSure) for (const one of returns) one.answeredMs = ended.atMs;
    if (!policy) return;
    for (const key of this.#keysFor(policy, began.variant, began.subject, life)) this.#letGo(key, ended.atMs);
  }

  #noteDecision(record: CallRecord, charge: Charge, { outcome, atMs, wasStalled }: CallEnded): void {
    if ('decision' in outcome) {
      const { decision } = outcome;
      record.operation?.answered.push({ record, decision });
      // A process that refuses by itself says nothing about another call of the operation, which the store may admit.
      const isDecided = charge.state === 'admitted' || (charge.state === 'refused' && charge.source === 'store');
      if (isDecided) return;
      this.#decide(charge, decision, atMs, wasStalled);
      return;
    }
    if (charge.state !== 'open' || charge.calls.at(-1) !== record.began.call) return;
    const isRefused = 'error' in outcome && outcome.error.code === 'SLUICE_REFUSED';
    charge.state = isRefused ? 'refused' : 'unknown';
    charge.answeredMs = atMs;
  }

  #decide(charge: Charge, decision: DecisionSeen, atMs: number, wasStalled: boolean): void {
    const { step, variant } = charge.began;
    charge.decision = decision;
    charge.source = decision.source;
    charge.answeredMs = atMs;
    charge.state = charge.isUnchecked || decision.allowed ? 'admitted' : 'refused';
    if (charge.isUnchecked) return;
    if (step.call === 'wait' || step.call === 'run') {
      const current = this.variants.inForce(charge.lives[0] as Life, charge.policy) ?? variant;
      this.#decideLater(charge, current);
      if (!wasStalled) charge.beganMs = Math.max(charge.beganMs, this.#earliestMs(charge, decision.delayMs, atMs));
    }
    if (charge.state !== 'admitted' || decision.source === 'allow' || charge.mayRepeat) return;
    for (const key of charge.keys) key.admitted.push(charge);
  }

  /** A caller that waits is decided about by the policy that is in force when its turn comes. */
  #decideLater(charge: Charge, variant: number): void {
    const limits = charge.policy.variants[variant];
    if (!limits || limits === charge.limits) return;
    const before = charge.keys;
    charge.limits = limits;
    charge.keys = this.#keysFor(charge.policy, variant, charge.began.subject, charge.lives[0] as Life);
    for (const key of charge.keys) if (!before.includes(key)) key.charges.push(charge);
    // Those before counted it as open, and only the later ones will let it go.
    for (const key of before) key.open -= 1;
    for (const key of charge.keys) key.open += 1;
  }

  /** Returns since when a caller that waited may have been admitted: whoever is admitted goes on at once, or after its delay. */
  #earliestMs({ began }: Charge, delayMs: number, atMs: number): number {
    const earliestMs = atMs - delayMs - 2 * this.#facts.store.timeoutMs - PAUSE_MS;
    if (this.#conditions.isTroubled(began.process, earliestMs, atMs)) return began.atMs;
    return earliestMs;
  }

  #noteWork({ call, atMs, decision }: WorkBegan): void {
    const record = this.#records.get(call);
    if (!record?.charge) return;
    record.workMs = atMs;
    const { charge } = record;
    charge.workOverMs = Number.POSITIVE_INFINITY;
    const { began } = record;
    const { process } = began;
    // Without its decision, nobody knows whether the store or the process admitted it.
    if (decision) this.#decide(charge, decision, atMs, this.#conditions.stalledMs(process, began.atMs, atMs) > 0);
    else charge.state = 'unknown';
  }

  #keysFor(policy: PolicyFacts, variant: number, subject: string, life: Life): readonly KeyHistory[] {
    const place = this.#facts.store.isMemory ? `@${life.number}` : '';
    const id = `${policy.index}.${variant}.${subject}${place}`;
    let keys = this.#keysOf.get(id);
    if (keys) return keys;
    keys = (policy.variants[variant] ?? []).map((limit) => {
      const by = limit.setup.by === 'everyone' ? '*' : subject;
      const keyId = `${policy.index}.${limit.name}.${limit.algorithm}.${by}${place}`;
      const known = this.#keys.get(keyId);
      if (known) return known;
      const key = new KeyHistory(policy, limit, Number.NEGATIVE_INFINITY);
      this.#keys.set(keyId, key);
      return key;
    });
    this.#keysOf.set(id, keys);
    return keys;
  }
}

function expiryOf({ step, atMs }: CallBegan): Expiry {
  const { expiresMs = Number.POSITIVE_INFINITY, onExpiry = 'keep' } = step.call === 'reserve' ? step : {};
  return { beganMs: atMs, expiresMs, givesBack: onExpiry === 'giveBack' };
}

type Spending = Extract<CallStep, { readonly call: 'consume' | 'reserve' | 'wait' | 'run' | 'obey' | 'charge' }>;

function spends(step: CallStep): step is Spending {
  return ['consume', 'reserve', 'wait', 'run', 'obey', 'charge'].includes(step.call);
}

type NewCharge = Pick<Charge, 'began' | 'policy' | 'keys' | 'cost' | 'mayRepeat'> & { readonly life: Life };

function newCharge({ began, life, policy, keys, cost, mayRepeat }: NewCharge): Charge {
  return {
    began,
    policy,
    limits: policy.variants[began.variant] ?? [],
    keys,
    lives: [life],
    calls: [began.call],
    expiries: [expiryOf(began)],
    cost,
    isUnchecked: began.step.call === 'charge',
    mayRepeat,
    beganMs: began.atMs,
    answeredMs: Number.POSITIVE_INFINITY,
    lastBeganMs: began.atMs,
    state: 'open',
    source: undefined,
    decision: undefined,
    corrections: [],
    workOverMs: Number.POSITIVE_INFINITY,
  };
}

function correctionOf({ step, call, atMs, corrects }: CallBegan, isAtCharge: boolean): Correction | undefined {
  if (corrects === undefined) return undefined;
  switch (step.call) {
    case 'settle':
    case 'cancel':
    case 'release':
    case 'share':
    case 'correct':
      return {
        call,
        corrects,
        kind: step.call,
        beganMs: atMs,
        actual: 'actual' in step ? step.actual : undefined,
        expiresMs: step.call === 'share' ? step.expiresMs : undefined,
        isAtCharge,
        answeredMs: Number.POSITIVE_INFINITY,
        failed: false,
        mayBeLate: false,
      };
    default:
      return undefined;
  }
}
