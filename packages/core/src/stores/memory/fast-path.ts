import { type KeyState, newKeyState } from '../../algorithms/key-state.js';
import type { Verdict } from '../../values/decision.js';
import { verdictOf } from '../reply.js';
import type { SingleLimit, SingleLimitFastPath } from '../store.js';
import { CheckContext, type Evaluator } from './evaluate.js';
import type { LimitNamespace } from './limit-namespaces.js';
import type { KeyTable } from './table/key-table.js';

const NO_TERMS = {};
const NO_OTHERS: readonly CheckContext[] = [];

/** The fast path of a memory store. It makes the same decisions, without the work that only other limits need. */
export class MemoryFastPath implements SingleLimitFastPath {
  atMs = Number.NaN;

  readonly #name: string;
  readonly #context = new CheckContext();
  readonly #table: KeyTable;
  readonly #evaluator: Evaluator;
  /** The state that rows are read into. */
  #scratch: KeyState | undefined;
  /** Whether a refusal leaves nothing behind. */
  readonly #isPlain: boolean;

  constructor(
    { name, limit, margin = 0 }: SingleLimit,
    namespace: LimitNamespace,
    table: KeyTable,
    evaluator: Evaluator,
  ) {
    this.#name = name;
    this.#context.enter(namespace, limit);
    this.#context.margin = margin;
    this.#table = table;
    this.#evaluator = evaluator;
    this.#isPlain = limit.blockMs === undefined && limit.countRejected === undefined && limit.quota > 0 && margin === 0;
  }

  consume(key: string, cost: number): Verdict {
    const nowMs = this.#table.now();
    const context = this.#context;
    context.cursor.turnTo(key);
    context.cost = cost;
    context.nowMs = nowMs;
    this.atMs = nowMs;
    const { blocks } = context.namespace;
    const isHeld = blocks.held.size !== 0 && blocks.heldUntilMs(this.#name, key, nowMs) > nowMs;
    if (this.#isPlain && !isHeld && this.#table.find(context.cursor)) {
      const verdict = this.#decidePlainly();
      if (verdict !== undefined) return verdict;
    }
    return this.#decide();
  }

  /**
   * Decides by the kernel alone. This is possible if the key is not new and not blocked, if its state needs no
   * correction, and if the decision does not exhaust it. Otherwise it does nothing and returns undefined.
   */
  #decidePlainly(): Verdict | undefined {
    const name = this.#name;
    const { namespace, cursor, limit, cost, nowMs } = this.#context;
    const { kernel } = namespace;
    this.#scratch ??= { ...newKeyState(kernel.fresh(limit, nowMs)), stamp: 0 };
    const keyState = this.#table.read(cursor, this.#scratch);
    const { state } = keyState;
    // A limit that does not block has no strikes.
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
    if (this.#table.update(cursor, keyState, nowMs + keptMs, 0, nowMs)) this.#scratch = undefined;
    const used = limit.quota - remaining;
    const retryAfterMs = units <= remaining ? 0 : kernel.waitMs(state, limit, units, nowMs);
    return { name, limit, cost, allowed: true, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  }

  #decide(): Verdict {
    const context = this.#context;
    this.#evaluator.evaluate(context, NO_TERMS, NO_OTHERS, 0);
    const { nowMs, limit, cost, allowed } = context;
    this.#evaluator.recordIn(context, cost, allowed);
    const verdict = verdictOf({ name: this.#name, limit, cost }, context);
    this.#evaluator.publishEvicted();
    // A listener may have called `consume` meanwhile.
    this.atMs = nowMs;
    return verdict;
  }
}
