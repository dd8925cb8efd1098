import type { Algorithm } from '../../../algorithms/definitions.js';
import { type KeyState, LimitState } from '../../../algorithms/limit-state.js';
import { type Edges, intervalAt } from '../../../values/calendar.js';
import type { Limit } from '../../../values/limit.js';
import type { Check } from '../../store.js';
import type { KeyNamespace } from './key-namespace.js';
import type { Page } from './slab.js';

/** What a new key is told to wait when there is no room for it. */
const NO_ROOM_RETRY_MS = 1000;

/**
 * What is asked about one key of one limit, with the standing that answers it. It is used again and again: what is
 * asked a million times a second should leave nothing for the garbage collector but its answer.
 */
export class CheckContext {
  series!: KeyNamespace;
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
  keyState: KeyState | undefined;
  readonly limitState = new LimitState();
  allowed = false;
  delayMs = 0;
  /** A new key that a full store has no place for. */
  hasNoRoom = false;
  /** Whether the fingerprint is not yet that of the key. */
  isOfNewKey = true;

  /** Accounts to read rows into, by algorithm, since each has its own kind of state. */
  readonly #scratches = new Map<Algorithm, KeyState>();
  #scratch: KeyState | undefined;

  /** Makes it the question about another check. */
  ask(check: Check, series: KeyNamespace, nowMs: number): void {
    this.askOf(series, check.limit);
    this.isShadow = check.shadow === true;
    this.edgesMs = check.edgesMs;
    this.turnTo(check.key);
    this.cost = check.cost;
    this.nowMs = nowMs;
  }

  /** Makes it a question about this limit. */
  askOf(series: KeyNamespace, limit: Limit): void {
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
  scratch(): KeyState {
    this.#scratch ??= this.#makeScratch();
    return this.#scratch;
  }

  /** The scratch account was kept by a row, so the next question needs another. */
  dropScratch(): void {
    this.#scratch = undefined;
    this.#scratches.delete(this.series.algorithm);
  }

  #makeScratch(): KeyState {
    const { algorithm, kernel } = this.series;
    const keyState = { state: kernel.fresh(this.limit, this.nowMs), blockEndsMs: 0, admittedMs: -1, stamp: 0 };
    this.#scratches.set(algorithm, keyState);
    return keyState;
  }

  /** Reads what is kept of the key, and how it stands with that. */
  read(keyState: KeyState | undefined): void {
    const { limit, edgesMs, nowMs } = this;
    this.keyState = keyState;
    this.limitState.read(
      this.series.kernel,
      limit,
      keyState,
      nowMs,
      edgesMs === undefined ? undefined : intervalAt(edgesMs, nowMs),
    );
  }

  get remaining(): number {
    return this.hasNoRoom ? 0 : this.limitState.remaining;
  }

  get retryAfterMs(): number | 'never' {
    return this.hasNoRoom ? NO_ROOM_RETRY_MS : this.limitState.untilMs(Math.max(1, this.cost));
  }
}

/** The units that every enforced check has, up to its cost: what an ask with `atLeast` takes. */
export function mostThatFits(questions: readonly CheckContext[]): number {
  const enforced = questions.filter(({ isShadow }) => !isShadow);
  // Where none is enforced, nothing is in the way of the largest cost.
  const largest = Math.max(0, ...questions.map(({ cost }) => cost));
  return Math.min(largest, ...enforced.map(({ cost, limitState }) => Math.min(cost, limitState.remaining)));
}
