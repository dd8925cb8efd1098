import type { KeyState } from '../../algorithms/limit-state.js';
import type { Clock } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import type { Evaluator } from './evaluate.js';
import type { CheckContext } from './table/check-context.js';
import type { KeyTable } from './table/key-table.js';

const NO_TERMS = {};
const NO_OTHERS: readonly CheckContext[] = [];

/**
 * One limit in a store, asked about one key after another without an Ask and a Reply for each: its fields are the last
 * answer, the same as `consume` gives to the one check.
 */
export class SingleLimitFastPath implements Omit<Verdict, 'name' | 'limit' | 'cost'> {
  allowed = false;
  remaining = 0;
  used = 0;
  resetAfterMs: number | 'never' = 0;
  retryAfterMs: number | 'never' = 0;
  delayMs = 0;
  /** The store's time of the answer. */
  atMs = Number.NaN;
  /** How many exhausted keys were forgotten for it, of which `sluice:evicted` is to tell. */
  forgotten = 0;

  readonly #question: CheckContext;
  readonly #table: KeyTable;
  readonly #evaluator: Evaluator;
  readonly #clock: Clock;
  /** Whether a refusal leaves nothing behind. */
  readonly #isPlain: boolean;

  constructor(question: CheckContext, table: KeyTable, evaluator: Evaluator, clock: Clock) {
    const { blockMs, countRejected, quota } = question.limit;
    this.#question = question;
    this.#table = table;
    this.#evaluator = evaluator;
    this.#clock = clock;
    this.#isPlain = blockMs === undefined && countRejected === undefined && quota > 0;
  }

  /** The key that is asked about, encoded. */
  get key(): string {
    return this.#question.key;
  }

  /** The key that is asked about from now on. */
  turnTo(key: string): void {
    this.#question.turnTo(key);
  }

  consume(cost: number): void {
    this.#table.checkOpen();
    const nowMs = this.#clock.now();
    const question = this.#question;
    question.cost = cost;
    question.nowMs = nowMs;
    this.atMs = nowMs;
    this.forgotten = 0;
    const keyState = this.#isPlain ? this.#table.find(question) : undefined;
    if (keyState === undefined || !this.#answerPlainly(keyState)) this.#answer();
  }

  /**
   * Answers about a key that is neither new nor blocked, nor exhausted by the answer, and whose state is as it was: what
   * the kernel says is all there is to it. Returns false, having done nothing, about any other.
   */
  #answerPlainly(keyState: KeyState): boolean {
    const question = this.#question;
    const { series, limit, cost, nowMs } = question;
    const { kernel } = series;
    const { state } = keyState;
    if (keyState.blockEndsMs !== 0 || keyState.admittedMs >= 0 || kernel.normalize(state, limit, nowMs) !== state)
      return false;
    const free = kernel.available(state, limit, nowMs);
    const units = Math.max(1, cost);
    if (cost > free) {
      this.allowed = false;
      this.remaining = Math.max(0, free);
      this.used = limit.quota - free;
      this.resetAfterMs = kernel.waitMs(state, limit, limit.quota, nowMs);
      this.retryAfterMs = kernel.waitMs(state, limit, units, nowMs);
      this.delayMs = 0;
      return true;
    }
    const remaining = free - cost;
    if (cost === 0 || remaining <= 0) return false;
    this.delayMs = kernel.delayMs === undefined ? 0 : kernel.delayMs(state, limit, nowMs);
    kernel.spend(state, limit, cost, nowMs);
    const resetAfterMs = kernel.waitMs(state, limit, limit.quota, nowMs);
    const keptMs = kernel.retentionMs?.(state, limit, nowMs) ?? (resetAfterMs as number);
    this.#table.update(question, keyState, nowMs + keptMs);
    this.allowed = true;
    this.remaining = remaining;
    this.used = limit.quota - remaining;
    this.resetAfterMs = resetAfterMs;
    this.retryAfterMs = units <= remaining ? 0 : kernel.waitMs(state, limit, units, nowMs);
    return true;
  }

  #answer(): void {
    const question = this.#question;
    this.#evaluator.ask(question, NO_TERMS, NO_OTHERS, 0);
    const { allowed, limitState, cost } = question;
    this.forgotten = this.#evaluator.record(question, cost, allowed);
    this.allowed = allowed;
    this.remaining = question.remaining;
    this.used = limitState.used;
    this.resetAfterMs = limitState.resetAfterMs;
    this.retryAfterMs = question.retryAfterMs;
    this.delayMs = question.delayMs;
  }
}
