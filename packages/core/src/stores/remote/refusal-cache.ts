import { definitionOf } from '../../algorithms/definitions.js';
import type { Verdict } from '../../values/decision.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { usesSlots } from '../../values/limit.js';
import { CheckSetMap, isSameState } from '../check-set-map.js';
import { age, sameCheck, verdictOf } from '../reply.js';
import type { Ask, Check, Reply } from '../store.js';

/**
 * Nobody is refused for longer by what was true before: what is given back or forgotten elsewhere counts here within
 * this time.
 */
const LONGEST_MS = 100;

/** How many refusals are remembered. */
const MOST = 10_000;

/** In how many parts the keys are divided to remember which were changed: a power of two. */
const PARTS = 1024;

/** The last answer from here that spent units of a state, while a refusal of it is remembered. */
interface Spending {
  readonly check: Check;
  /** Undefined until units are spent. */
  verdict: Verdict | undefined;
  heardMs: number;
  /** How many refusals need it. */
  users: number;
}

interface Refusal {
  readonly checks: readonly Check[];
  readonly reply: Reply;
  readonly question: Question;
  /** When the answer came. */
  readonly heardMs: number;
  readonly untilMs: number;
  /** Of each check, and its verdict at that time. */
  readonly spendings: readonly Spending[];
  readonly spentThen: readonly (Verdict | undefined)[];
}

/** When something was asked: the time, and how many changes had been made here. */
export interface Question {
  readonly askedMs: number;
  readonly changes: number;
}

/**
 * What was refused, as long as it is certain that it would be again: until a limit that refused has room, by the clock
 * of this process from before the question, and no longer than a tenth of a second, since elsewhere something may be
 * given back. What is changed here ends it at once, also an answer that was on its way meanwhile.
 *
 * Answers are for the same checks and costs: less may fit, and more has to wait for longer. Units that other requests
 * spend from here meanwhile are known: of a limit that refused, they end the memory, since more may have to wait for
 * longer; of a limit that allowed, the verdict is as after the last of them.
 */
export class RefusalCache {
  readonly #now: () => number;
  readonly #byChecks = new CheckSetMap<Refusal>();
  /** The oldest first. */
  readonly #inOrder = new Set<Refusal>();
  /** By key: the states that remembered refusals are about. */
  readonly #spendings = new Map<string, Spending[]>();
  readonly #changedAt = new Float64Array(PARTS);
  #changes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The beginning of a question. */
  question(): Question {
    return { askedMs: this.#now(), changes: this.#changes };
  }

  /** To be told before a change and after it: until then nobody knows when it is made. */
  changed(targets: readonly Pick<Check, 'key'>[]): void {
    this.#changes += 1;
    for (const { key } of targets) this.#changedAt[partOf(key)] = this.#changes;
  }

  /** To be told what was spent here, and the answer. */
  spent({ checks }: Ask, { verdicts }: Reply): void {
    if (this.#spendings.size === 0) return;
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as Check;
      const spending = this.#spendings.get(check.key)?.find((one) => isSameState(one.check, check));
      if (!spending || check.cost === 0) continue;
      spending.verdict = verdicts[i];
      spending.heardMs = this.#now();
    }
  }

  remember({ checks }: Ask, question: Question, reply: Reply): void {
    const forMs = Math.min(LONGEST_MS, certainMs(checks, reply.verdicts));
    if (!(forMs > 0) || this.#isChanged(checks, question)) return;
    const heardMs = this.#now();
    this.#makeRoom(heardMs);
    const spendings = checks.map((check) => this.#spendingOf(check));
    const spentThen = spendings.map(({ verdict }) => verdict);
    const untilMs = question.askedMs + forMs;
    const refusal = { checks, reply, question, heardMs, untilMs, spendings, spentThen };
    const known = this.#byChecks.get(checks);
    this.#byChecks.set(checks, refusal);
    this.#inOrder.add(refusal);
    if (known) this.#letGo(known);
  }

  /** The answer, if it is certain. */
  recall({ checks }: Ask): Reply | undefined {
    if (this.#inOrder.size === 0) return undefined;
    const refusal = this.#byChecks.get(checks);
    if (!refusal) return undefined;
    const nowMs = this.#now();
    // A clock that went back says nothing about how much time has passed.
    if (nowMs >= refusal.untilMs || nowMs < refusal.heardMs) return undefined;
    if (!isSame(checks, refusal.checks) || this.#isChanged(checks, refusal.question)) return undefined;
    return aged(refusal, nowMs);
  }

  #isChanged(checks: readonly Check[], { changes }: Question): boolean {
    return this.#changes > changes && checks.some(({ key }) => (this.#changedAt[partOf(key)] as number) > changes);
  }

  #makeRoom(nowMs: number): void {
    for (const refusal of this.#inOrder) {
      if (nowMs < refusal.untilMs && this.#inOrder.size < MOST) return;
      this.#byChecks.delete(refusal.checks);
      this.#letGo(refusal);
    }
  }

  #letGo(refusal: Refusal): void {
    this.#inOrder.delete(refusal);
    for (const spending of refusal.spendings) {
      spending.users -= 1;
      if (spending.users > 0) continue;
      const { key } = spending.check;
      const others = (this.#spendings.get(key) ?? []).filter((other) => other !== spending);
      if (others.length > 0) this.#spendings.set(key, others);
      else this.#spendings.delete(key);
    }
  }

  #spendingOf(check: Check): Spending {
    const ofKey = getOrCreate(this.#spendings, check.key, (): Spending[] => []);
    let spending = ofKey.find((one) => isSameState(one.check, check));
    if (!spending) {
      spending = { check, verdict: undefined, heardMs: 0, users: 0 };
      ofKey.push(spending);
    }
    spending.users += 1;
    return spending;
  }
}

function partOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return hash & (PARTS - 1);
}

function isSame(checks: readonly Check[], others: readonly Check[]): boolean {
  for (let i = 0; i < checks.length; i += 1) if (!sameCheck(checks[i] as Check, others[i] as Check)) return false;
  return true;
}

/**
 * How long each of these verdicts stays as it is, if nothing is given back, and being asked would leave nothing behind;
 * 0 if it might.
 */
function certainMs(checks: readonly Check[], verdicts: readonly Verdict[]): number {
  let certain = Number.POSITIVE_INFINITY;
  for (let i = 0; i < checks.length; i += 1) {
    const { limit, cost } = checks[i] as Check;
    const { allowed, retryAfterMs } = verdicts[i] as Verdict;
    // A cost of 0 may fit before a unit does, for which it is told to wait; what never refills is forgotten; a slot is freed at any time.
    if (limit.countRejected !== undefined || cost === 0) return 0;
    if (limit.keepForMs !== undefined || usesSlots(limit)) return 0;
    const { longestWaitMs } = definitionOf(limit);
    if (allowed && limit.blockMs !== undefined) return 0;
    if (allowed) continue;
    // A limit in debt makes nobody wait longer than `longestWaitMs`. Who has to wait for longer is blocked, and starts no
    // block by asking. What can never fit starts a block whenever none is left, and does not say how much of one is.
    if (retryAfterMs === 'never' && limit.blockMs !== undefined) return 0;
    const waitMs = retryAfterMs === 'never' ? Number.POSITIVE_INFINITY : retryAfterMs;
    certain = Math.min(certain, limit.blockMs === undefined ? waitMs : waitMs - longestWaitMs(limit));
  }
  return certain;
}

/** What was answered, as it stands some time later; undefined where what was spent meanwhile makes it uncertain. */
function aged({ checks, reply, heardMs, spendings, spentThen }: Refusal, nowMs: number): Reply | undefined {
  // Not since it was asked: the answer's way here has not shortened what it says.
  const agoMs = nowMs - heardMs;
  const verdicts = new Array<Verdict>(checks.length);
  for (let i = 0; i < checks.length; i += 1) {
    const then = reply.verdicts[i] as Verdict;
    const spending = spendings[i] as Spending;
    const verdict = spending.verdict === spentThen[i] ? agedVerdict(then, agoMs) : afterSpending(then, spending, nowMs);
    if (!verdict) return undefined;
    verdicts[i] = verdict;
  }
  return { atMs: reply.atMs + agoMs, allowed: false, verdicts };
}

/** The verdict of a limit that allowed, after units of it were spent, if it still allows. */
function afterSpending(then: Verdict, { verdict: last, heardMs }: Spending, nowMs: number): Verdict | undefined {
  if (!last || !then.allowed || last.limit !== then.limit || last.delayMs > 0) return undefined;
  const { remaining, used, resetAfterMs } = last;
  if (remaining < Math.max(1, then.cost) || nowMs < heardMs) return undefined;
  return agedVerdict({ ...then, remaining, used, resetAfterMs }, nowMs - heardMs);
}

/**
 * The verdict some time later. `used` and `remaining` stay: if units have ceased to count since then, the next answer of
 * the store tells it.
 */
function agedVerdict(verdict: Verdict, agoMs: number): Verdict {
  const { allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs } = verdict;
  return verdictOf(verdict, {
    allowed,
    remaining,
    used,
    resetAfterMs: age(resetAfterMs, agoMs),
    retryAfterMs: age(retryAfterMs, agoMs),
    delayMs,
  });
}
