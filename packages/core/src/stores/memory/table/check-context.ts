import type { Algorithm } from '../../../algorithms/definitions.js';
import { type Account, Standing } from '../../../algorithms/limit-state.js';
import { type Edges, intervalAt } from '../../../values/calendar.js';
import type { Limit } from '../../../values/limit.js';
import type { Check } from '../../store.js';
import type { Series } from './key-namespace.js';
import type { Page } from './slab.js';

/** What a new key is told to wait when there is no room for it. */
const NO_ROOM_RETRY_MS = 1000;

/**
 * What is asked about one key of one limit, with the standing that answers it. It is used again and again: what is
 * asked a million times a second should leave nothing for the garbage collector but its answer.
 */
export class Question {
  series!: Series;
  limit!: Limit;
  key = '';
  cost = 0;
  isShadow = false;
  edgesMs: Edges | undefined;
  /** When it is asked. Never a small integer, so that it is kept in place, not in an object of its own. */
  nowMs = Number.NaN;
  /** The key's fingerprint, its row (0: it is new), and the row's page. */
  high = 0;
  low = 0;
  row = 0;
  page: Page | undefined;
  /** What the row keeps; undefined of a new key. */
  account: Account | undefined;
  readonly standing = new Standing();
  allowed = false;
  delayMs = 0;
  /** A new key that a full store has no place for. */
  hasNoRoom = false;
  /** Whether the fingerprint is not yet that of the key. */
  isOfNewKey = true;

  /** Accounts to read rows into, by algorithm, since each has its own kind of state. */
  readonly #scratches = new Map<Algorithm, Account>();
  #scratch: Account | undefined;

  /** Makes it the question about another check. */
  ask(check: Check, series: Series, nowMs: number): void {
    this.askOf(series, check.limit);
    this.isShadow = check.shadow === true;
    this.edgesMs = check.edgesMs;
    this.turnTo(check.key);
    this.cost = check.cost;
    this.nowMs = nowMs;
  }

  /** Makes it a question about this limit. */
  askOf(series: Series, limit: Limit): void {
    this.limit = limit;
    if (series === this.series) return;
    this.series = series;
    this.isOfNewKey = true;
    this.#scratch = this.#scratches.get(series.algorithm);
  }

  /** Makes it a question about another key. What was found out about one stays true while it is asked about again. */
  turnTo(key: string): void {
    if (key === this.key) return;
    this.key = key;
    this.isOfNewKey = true;
  }

  /** An account that may be written to, with a state of this algorithm. */
  scratch(): Account {
    this.#scratch ??= this.#makeScratch();
    return this.#scratch;
  }

  /** The scratch account was kept by a row, so the next question needs another. */
  dropScratch(): void {
    this.#scratch = undefined;
    this.#scratches.delete(this.series.algorithm);
  }

  #makeScratch(): Account {
    const { algorithm, kernel } = this.series;
    const account = { state: kernel.fresh(this.limit, this.nowMs), blockEndsMs: 0, admittedMs: -1, stamp: 0 };
    this.#scratches.set(algorithm, account);
    return account;
  }

  /** Reads what is kept of the key, and how it stands with that. */
  read(account: Account | undefined): void {
    const { limit, edgesMs, nowMs } = this;
    this.account = account;
    this.standing.read(
      this.series.kernel,
      limit,
      account,
      nowMs,
      edgesMs === undefined ? undefined : intervalAt(edgesMs, nowMs),
    );
  }

  get remaining(): number {
    return this.hasNoRoom ? 0 : this.standing.remaining;
  }

  get retryAfterMs(): number | 'never' {
    return this.hasNoRoom ? NO_ROOM_RETRY_MS : this.standing.untilMs(Math.max(1, this.cost));
  }
}

/** The units that every enforced check has, up to its cost: what an ask with `atLeast` takes. */
export function mostThatFits(questions: readonly Question[]): number {
  const enforced = questions.filter(({ isShadow }) => !isShadow);
  // Where none is enforced, nothing is in the way of the largest cost.
  const largest = Math.max(0, ...questions.map(({ cost }) => cost));
  return Math.min(largest, ...enforced.map(({ cost, standing }) => Math.min(cost, standing.remaining)));
}
