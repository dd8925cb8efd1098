import { InPlaceDecision } from '../../algorithms/kernel.js';
import type { Verdict } from '../../values/decision.js';
import type { Limit } from '../../values/limit.js';
import { verdictOf } from '../reply.js';
import type { Check, SingleLimitFastPath } from '../store.js';
import { CheckContext, type Evaluator } from './evaluate.js';
import type { LimitNamespaces } from './limit-namespaces.js';
import type { KeyTable } from './table/key-table.js';

const NO_TERMS = {};
const NO_OTHERS: readonly CheckContext[] = [];

/** The fast path of a memory store. It makes the same decisions, without the work that only other limits need. */
export class MemoryFastPath implements SingleLimitFastPath {
  atMs = Number.NaN;

  readonly #policy: string;
  readonly #name: string;
  readonly #namespaces: LimitNamespaces;
  readonly #context = new CheckContext();
  readonly #table: KeyTable;
  readonly #evaluator: Evaluator;
  readonly #decision = new InPlaceDecision();
  /** Whether a refusal by the current limit leaves nothing behind. */
  #isPlain = false;

  constructor(
    { policy, name }: Pick<Check, 'policy' | 'name'>,
    namespaces: LimitNamespaces,
    table: KeyTable,
    evaluator: Evaluator,
  ) {
    this.#policy = policy;
    this.#name = name;
    this.#namespaces = namespaces;
    this.#table = table;
    this.#evaluator = evaluator;
  }

  consume(key: string, cost: number, limit: Limit, margin: number): Verdict {
    const nowMs = this.#table.now();
    const context = this.#context;
    if (limit !== context.limit || margin !== context.margin) this.#turnTo(limit, margin);
    context.cursor.turnTo(key);
    context.cost = cost;
    context.nowMs = nowMs;
    this.atMs = nowMs;
    const { blocks } = context.namespace;
    const isHeld = blocks.held.size !== 0 && blocks.heldUntilMs(this.#name, key, nowMs) > nowMs;
    if (this.#isPlain && !isHeld && this.#table.find(context.cursor)) {
      const verdict = this.#decideInPlace() ?? this.#decidePlainly();
      if (verdict !== undefined) return verdict;
    }
    return this.#decide();
  }

  #turnTo(limit: Limit, margin: number): void {
    const context = this.#context;
    const place = { policy: this.#policy, name: this.#name, limit };
    context.enter(this.#namespaces.ofLimit(place, context.namespace), limit);
    context.margin = margin;
    this.#isPlain = limit.blockMs === undefined && limit.countRejected === undefined && limit.quota > 0 && margin === 0;
  }

  /** Decides where the state of the key lies, if its algorithm can do that and this is the common case. */
  #decideInPlace(): Verdict | undefined {
    const { cursor, namespace, limit, cost, nowMs } = this.#context;
    const { kernel } = namespace;
    const decision = this.#decision;
    if (kernel.decideInPlace === undefined || cost === 0 || !this.#table.findNumbers(cursor, decision))
      return undefined;
    decision.cost = cost;
    decision.nowMs = nowMs;
    if (!kernel.decideInPlace(limit, decision)) return undefined;
    const { allowed, available, resetAfterMs, retryAfterMs, delayMs } = decision;
    if (allowed) this.#table.changed(cursor, decision);
    const remaining = Math.max(0, available);
    const used = limit.quota - available;
    return { name: this.#name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  }

  /**
   * Decides by the kernel alone. This is possible if the key is not new and not blocked, if its state needs no
   * correction, and if the decision does not exhaust it. Otherwise it does nothing and returns undefined.
   */
  #decidePlainly(): Verdict | undefined {
    const name = this.#name;
    const context = this.#context;
    const { namespace, cursor, limit, cost, nowMs } = context;
    const { kernel } = namespace;
    const keyState = this.#table.read(cursor, context.scratch());
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
    if (this.#table.update(cursor, keyState, nowMs + keptMs, 0, nowMs)) context.dropScratch();
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
