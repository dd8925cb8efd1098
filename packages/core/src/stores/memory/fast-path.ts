import type { KeyState } from '../../algorithms/limit-state.js';
import type { Clock } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import type { SingleLimit, SingleLimitFastPath } from '../store.js';
import type { Evaluator } from './evaluate.js';
import { publishEvicted } from './forgotten.js';
import { CheckContext } from './table/check-context.js';
import type { KeyTable } from './table/key-table.js';

const NO_TERMS = {};
const NO_OTHERS: readonly CheckContext[] = [];

/** The fast path of a memory store: the same decisions, without the work that only other limits need. */
export class MemoryFastPath implements SingleLimitFastPath {
  atMs = Number.NaN;

  readonly #name: string;
  readonly #context = new CheckContext();
  readonly #table: KeyTable;
  readonly #evaluator: Evaluator;
  readonly #clock: Clock;
  /** Whether a refusal leaves nothing behind. */
  readonly #isPlain: boolean;

  constructor(limit: SingleLimit, table: KeyTable, evaluator: Evaluator, clock: Clock) {
    const { blockMs, countRejected, quota } = limit.limit;
    this.#name = limit.name;
    this.#context.askOf(table.seriesOf(limit), limit.limit);
    this.#table = table;
    this.#evaluator = evaluator;
    this.#clock = clock;
    this.#isPlain = blockMs === undefined && countRejected === undefined && quota > 0;
  }

  consume(key: string, cost: number): Verdict {
    this.#table.checkOpen();
    const nowMs = this.#clock.now();
    const context = this.#context;
    context.turnTo(key);
    context.cost = cost;
    context.nowMs = nowMs;
    this.atMs = nowMs;
    const keyState = this.#isPlain ? this.#table.find(context) : undefined;
    return (keyState && this.#decidePlainly(keyState)) ?? this.#decide();
  }

  /**
   * Decides about a key that is neither new nor blocked, nor exhausted by the decision, and whose state is as it was. The
   * kernel alone decides about these. Does nothing and returns undefined about any other.
   */
  #decidePlainly(keyState: KeyState): Verdict | undefined {
    const name = this.#name;
    const { series, limit, cost, nowMs } = this.#context;
    const { kernel } = series;
    const { state } = keyState;
    if (keyState.blockEndsMs !== 0 || keyState.admittedMs >= 0 || kernel.normalize(state, limit, nowMs) !== state)
      return undefined;
    const available = kernel.available(state, limit, nowMs);
    const units = Math.max(1, cost);
    if (cost > available) {
      const remaining = Math.max(0, available);
      const used = limit.quota - available;
      const resetAfterMs = kernel.waitMs(state, limit, limit.quota, nowMs);
      const retryAfterMs = kernel.waitMs(state, limit, units, nowMs);
      return { name, limit, cost, allowed: false, remaining, used, resetAfterMs, retryAfterMs, delayMs: 0 };
    }
    const remaining = available - cost;
    if (cost === 0 || remaining <= 0) return undefined;
    const delayMs = kernel.delayMs === undefined ? 0 : kernel.delayMs(state, limit, nowMs);
    kernel.spend(state, limit, cost, nowMs);
    const resetAfterMs = kernel.waitMs(state, limit, limit.quota, nowMs);
    const keptMs = kernel.retentionMs?.(state, limit, nowMs) ?? (resetAfterMs as number);
    this.#table.update(this.#context, keyState, nowMs + keptMs);
    const used = limit.quota - remaining;
    const retryAfterMs = units <= remaining ? 0 : kernel.waitMs(state, limit, units, nowMs);
    return { name, limit, cost, allowed: true, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  }

  #decide(): Verdict {
    const context = this.#context;
    this.#evaluator.ask(context, NO_TERMS, NO_OTHERS, 0);
    const { nowMs, limit, cost, allowed, limitState, delayMs } = context;
    const forgotten = this.#evaluator.record(context, cost, allowed);
    const { remaining, retryAfterMs } = context;
    const { used, resetAfterMs } = limitState;
    // Listeners may consume here in their turn: nothing is read after they have.
    if (forgotten > 0) {
      publishEvicted(forgotten);
      this.atMs = nowMs;
    }
    return { name: this.#name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  }
}
