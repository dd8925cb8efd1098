import type { Algorithm } from '../algorithms/index.js';
import { type Account, Standing } from '../algorithms/standing.js';
import { intervalAt } from '../calendar.js';
import type { Verdict } from '../decision.js';
import type { Check } from '../store.js';
import type { Series } from './series.js';

/** What a new key is told to wait when there is no room for it. */
const NO_ROOM_RETRY_MS = 1000;

/**
 * A check with the standing that answers it. A store has one for each place in an ask, which it uses again and again:
 * what is asked a million times a second should leave nothing for the garbage collector but its answer.
 */
export class Question {
  check!: Check;
  series: Series | undefined;
  /** The key's fingerprint, and its row (0: it is new). */
  high = 0;
  low = 0;
  row = 0;
  /** What the row keeps; undefined of a new key. */
  account: Account | undefined;
  standing!: Standing;
  allowed = false;
  delayMs = 0;
  /** A new key that a full store has no place for. */
  hasNoRoom = false;

  /** Accounts to read rows into, by algorithm, since each has its own kind of state. */
  readonly #scratches = new Map<Algorithm, Account>();
  #scratch: Account | undefined;

  /** Makes it the question about another check. */
  ask(check: Check, series: Series): void {
    this.check = check;
    if (series === this.series) return;
    this.series = series;
    this.#scratch = this.#scratches.get(series.algorithm);
  }

  /** An account that may be written to, with a state of this algorithm. */
  scratch(nowMs: number): Account {
    this.#scratch ??= this.#makeScratch(nowMs);
    return this.#scratch;
  }

  /** The scratch account was kept by a row, so the next question needs another. */
  dropScratch(): void {
    this.#scratch = undefined;
    this.#scratches.delete((this.series as Series).algorithm);
  }

  #makeScratch(nowMs: number): Account {
    const { algorithm, kernel } = this.series as Series;
    const account = { state: kernel.fresh(this.check.limit, nowMs), blockEndsMs: 0, admittedMs: -1 };
    this.#scratches.set(algorithm, account);
    return account;
  }

  /** Reads what is kept of the key, and how it stands with that. */
  read(account: Account | undefined, nowMs: number): void {
    const { limit, edgesMs } = this.check;
    const { kernel } = this.series as Series;
    const interval = edgesMs && intervalAt(edgesMs, nowMs);
    this.account = account;
    if (this.standing) this.standing.read(kernel, limit, account, nowMs, interval);
    else this.standing = new Standing(limit, account, nowMs, interval);
  }

  get verdict(): Verdict {
    const { standing, allowed, delayMs, hasNoRoom } = this;
    const { name, limit, cost, shadow } = this.check;
    const verdict = {
      name,
      limit,
      cost,
      allowed,
      remaining: hasNoRoom ? 0 : standing.remaining,
      resetAfterMs: standing.resetAfterMs,
      retryAfterMs: hasNoRoom ? NO_ROOM_RETRY_MS : standing.untilMs(Math.max(1, cost)),
      delayMs,
    };
    return shadow ? { ...verdict, shadow } : verdict;
  }
}

/** The units that every enforced check has, up to its cost: what an ask with `atLeast` takes. */
export function mostThatFits(questions: readonly Question[]): number {
  const enforced = questions.filter(({ check }) => !check.shadow);
  // Where none is enforced, nothing is in the way of the largest cost.
  const largest = Math.max(0, ...questions.map(({ check }) => check.cost));
  return Math.min(largest, ...enforced.map(({ check, standing }) => Math.min(check.cost, standing.remaining)));
}
