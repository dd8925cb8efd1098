import type { Verdict } from '../decision.js';
import type { Limit } from '../limit.js';
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

interface Refusal {
  readonly checks: readonly Check[];
  readonly reply: Reply;
  readonly question: Question;
  /** When the answer came. */
  readonly heardMs: number;
  readonly untilMs: number;
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
 * Answers are for the same checks and costs: less may fit, and more has to wait for longer.
 */
export class Refusals {
  readonly #now: () => number;
  /** By the key of the first check, the oldest first. */
  readonly #byKey = new Map<string, Refusal>();
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

  /** To be told what was spent here: who is refused for more than is left then has to wait for longer. */
  spent({ checks }: Ask): void {
    if (this.#byKey.size === 0) return;
    for (let i = 0; i < checks.length; i += 1) this.#byKey.delete((checks[i] as Check).key);
  }

  remember({ checks }: Ask, question: Question, reply: Reply): void {
    const forMs = Math.min(LONGEST_MS, certainMs(checks, reply.verdicts));
    const [first] = checks;
    if (!first || !(forMs > 0) || this.#isChanged(checks, question)) return;
    const heardMs = this.#now();
    this.#byKey.delete(first.key);
    this.#makeRoom(heardMs);
    this.#byKey.set(first.key, { checks, reply, question, heardMs, untilMs: question.askedMs + forMs });
  }

  /** The answer, if it is certain. */
  recall({ checks }: Ask): Reply | undefined {
    const refusal = this.#byKey.get((checks[0] as Check).key);
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
    for (const [key, { untilMs }] of this.#byKey) {
      if (nowMs < untilMs && this.#byKey.size < MOST) return;
      this.#byKey.delete(key);
    }
  }
}

function partOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return hash & (PARTS - 1);
}

function isSame(checks: readonly Check[], others: readonly Check[]): boolean {
  return checks.length === others.length && checks.every((check, i) => isSameCheck(check, others[i] as Check));
}

function isSameCheck(one: Check, other: Check): boolean {
  return (
    one.key === other.key &&
    one.limit === other.limit &&
    one.cost === other.cost &&
    one.name === other.name &&
    one.policy === other.policy &&
    one.shadow === other.shadow
  );
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
    if (limit.keepForMs !== undefined || limit.algorithm === 'concurrency') return 0;
    if (allowed && limit.blockMs !== undefined) return 0;
    if (allowed) continue;
    // What can never fit starts a block whenever none is left, and does not say how much of one is.
    if (retryAfterMs === 'never' && limit.blockMs !== undefined) return 0;
    const waitMs = retryAfterMs === 'never' ? Number.POSITIVE_INFINITY : retryAfterMs;
    certain = Math.min(certain, limit.blockMs === undefined ? waitMs : waitMs - longestFitMs(limit));
  }
  return certain;
}

/**
 * What a limit itself never makes anybody wait longer than, being in debt. Who has to wait for longer is blocked, and
 * whoever asks during a block starts none.
 */
function longestFitMs({ windowMs, quota, n = 0, m = 1 }: Limit): number {
  return windowMs === undefined ? (2 * Math.ceil(quota / n) + 1) * m : 3 * windowMs;
}

function aged({ checks, reply, heardMs }: Refusal, nowMs: number): Reply {
  // Not since it was asked: the answer's way here has not shortened what it says.
  const agoMs = nowMs - heardMs;
  const verdicts = new Array<Verdict>(checks.length);
  for (let i = 0; i < checks.length; i += 1) verdicts[i] = agedVerdict(reply.verdicts[i] as Verdict, agoMs);
  return { atMs: reply.atMs + agoMs, allowed: false, verdicts };
}

function agedVerdict(verdict: Verdict, agoMs: number): Verdict {
  const { name, limit, cost, allowed, remaining, resetAfterMs, retryAfterMs, delayMs, shadow } = verdict;
  const now: Verdict = {
    name,
    limit,
    cost,
    allowed,
    remaining,
    resetAfterMs: left(resetAfterMs, agoMs),
    retryAfterMs: left(retryAfterMs, agoMs),
    delayMs,
  };
  return shadow ? { ...now, shadow } : now;
}

function left(waitMs: number | 'never', agoMs: number): number | 'never' {
  return waitMs === 'never' || waitMs === 0 ? waitMs : Math.max(1, waitMs - agoMs);
}
