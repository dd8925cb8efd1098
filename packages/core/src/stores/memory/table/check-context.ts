import type { Algorithm } from '../../../algorithms/definition.js';
import type { KeyState } from '../../../algorithms/limit-state.js';
import type { Limit } from '../../../values/limit.js';
import { CheckEvaluation } from '../../check-evaluation.js';
import type { Check } from '../../store.js';
import type { KeyNamespace } from './key-namespace.js';
import type { Page } from './slab.js';

/** What a new key is told to wait when there is no room for it. */
const NO_ROOM_RETRY_MS = 1000;

/**
 * What is asked about one key of one limit, with the standing that answers it. It is used again and again: what is
 * asked a million times a second should leave nothing for the garbage collector but its answer.
 */
export class CheckContext extends CheckEvaluation {
  series!: KeyNamespace;
  key = '';
  /** The key's fingerprint, its row (0: it is new), and the row's page. */
  high = 0;
  low = 0;
  row = 0;
  page: Page | undefined;
  /** What the row keeps; undefined of a new key. */
  keyState: KeyState | undefined;
  /** A new key that a full store has no place for. */
  hasNoRoom = false;
  /** Whether the fingerprint is not yet that of the key. */
  isOfNewKey = true;

  /** Accounts to read rows into, by algorithm, since each has its own kind of state. */
  readonly #scratches = new Map<Algorithm, KeyState>();
  #scratch: KeyState | undefined;

  /** Makes it the question about another check. */
  ask(check: Check, series: KeyNamespace, nowMs: number): void {
    this.begin(check, nowMs);
    this.askOf(series, check.limit);
    this.turnTo(check.key);
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
    this.keyState = keyState;
    this.readState(this.series.kernel, keyState);
  }

  override get remaining(): number {
    return this.hasNoRoom ? 0 : super.remaining;
  }

  override get retryAfterMs(): number | 'never' {
    return this.hasNoRoom ? NO_ROOM_RETRY_MS : super.retryAfterMs;
  }
}
