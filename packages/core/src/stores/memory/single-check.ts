// Why it is so: docs/why/memory-store.md

import { isAlgorithm } from '../../algorithms/definitions.js';
import { InPlaceDecision } from '../../algorithms/kernel.js';
import { type KeyState, renewKeyState } from '../../algorithms/key-state.js';
import type { Verdict } from '../../values/decision.js';
import { type Limit, usesSlots } from '../../values/limit.js';
import { isSimpleSpend, verdictOf } from '../reply.js';
import type { LimitCheck, StoreRequest, StoreResponse } from '../store.js';
import type { LimitNamespaces } from './limit-namespaces.js';
import { RowEvaluation, type RowEvaluator } from './row-evaluator.js';
import type { KeyTable } from './table/key-table.js';
import { notExhausted } from './table/rows.js';

const NO_TERMS = {};
const NO_OTHERS: readonly RowEvaluation[] = [];

/**
 * The quick route of a memory store for a request that spends from one limit. It makes the same decision as the route for every
 * other request, without the work that only other requests need. `MemoryStore.consume` is its only caller. Without it, a
 * decision about a hot key takes twice as long: `npm run bench -- in-process`.
 */
export class SingleCheck {
  readonly #namespaces: LimitNamespaces;
  readonly #context = new RowEvaluation();
  readonly #table: KeyTable;
  readonly #evaluator: RowEvaluator;
  readonly #decision = new InPlaceDecision();
  /** Whether a refusal by the current limit leaves nothing behind. */
  #isPlain = false;

  constructor(namespaces: LimitNamespaces, table: KeyTable, evaluator: RowEvaluator) {
    this.#namespaces = namespaces;
    this.#table = table;
    this.#evaluator = evaluator;
  }

  /**
   * Decides a request, and spends if the limit allows. Returns undefined for a request that it does not serve. It serves one enforced
   * check, whose limit has neither a calendar nor slots nor parts.
   */
  decide(request: StoreRequest): StoreResponse | undefined {
    const check = request.checks[0] as LimitCheck;
    if (request.checks.length !== 1 || !isSimpleSpend(request)) return undefined;
    const { policy, name, key, limit, cost, margin = 0, shadow, parts, calendarBoundsMs } = check;
    if (shadow !== undefined || parts !== undefined || calendarBoundsMs !== undefined) return undefined;
    const context = this.#context;
    if (limit !== context.limit && !isServed(limit)) return undefined;
    const nowMs = this.#table.clock.now();
    const last = context.namespace;
    if (limit !== context.limit || margin !== context.margin || name !== last.name || policy !== last.policy)
      this.#enter(check, margin);
    context.key = key;
    context.cost = cost;
    context.nowMs = nowMs;
    const { blocks } = context.namespace;
    const isHeld = blocks.held.size !== 0 && blocks.heldUntilMs(name, key, nowMs) > nowMs;
    let verdict: Verdict | undefined;
    if (this.#isPlain && !isHeld) {
      if (!this.#table.find(context.cursor, key)) verdict = this.#decideNew();
      else if (context.namespace.kernel.decideInPlace === undefined) verdict = this.#decideKnown();
      else verdict = this.#decideInPlace() ?? this.#decideKnown();
    }
    verdict ??= this.#decideInFull();
    return { atMs: nowMs, allowed: verdict.allowed, verdicts: [verdict] };
  }

  /** Turns to a limit. Its namespace is usually that of the limit before, or another one of few. */
  #enter(check: LimitCheck, margin: number): void {
    const { limit } = check;
    const context = this.#context;
    context.enter(this.#namespaces.ofLimit(check, context.namespace), limit);
    context.margin = margin;
    context.namespace.kernel.enterInPlace?.(limit, this.#decision);
    this.#isPlain = limit.blockMs === undefined && limit.countRejected === undefined && limit.quota > 0 && margin === 0;
  }

  /** Decides where the state lies. Returns undefined if the algorithm cannot do that with this state. */
  #decideInPlace(): Verdict | undefined {
    const { cursor, namespace, limit, cost, nowMs } = this.#context;
    const decision = this.#decision;
    if (cost === 0 || !this.#table.codec.findNumbers(cursor, decision)) return undefined;
    decision.cost = cost;
    decision.nowMs = nowMs;
    if (!namespace.kernel.decideInPlace?.(limit, decision)) return undefined;
    const { allowed, available, resetAfterMs, retryAfterMs, delayMs } = decision;
    const used = limit.quota - available;
    if (allowed) this.#table.changed(cursor, decision, notExhausted(used, limit.quota));
    const remaining = Math.max(0, available);
    return { name: namespace.name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  }

  /** Decides about a key that was found. Returns undefined if it is blocked, or if its state has to be corrected. */
  #decideKnown(): Verdict | undefined {
    const context = this.#context;
    const { namespace, cursor, limit, nowMs } = context;
    const keyState = this.#table.read(cursor, context.scratch());
    const { state, blockEndsMs, admittedMs } = keyState;
    // A limit that does not block has no strikes. Below -1 is the time of a block, which may be that of a clock that was ahead.
    const isPlain = blockEndsMs === 0 && admittedMs === -1 && namespace.kernel.normalize(state, limit, nowMs) === state;
    return isPlain ? this.#decideBy(keyState) : undefined;
  }

  /** Decides about a key that was not found. Returns undefined if there is no room for it. */
  #decideNew(): Verdict | undefined {
    const context = this.#context;
    const { namespace, limit, nowMs } = context;
    if (!this.#evaluator.hasRoomFor(context, NO_OTHERS, 0)) return undefined;
    const keyState = context.scratch();
    renewKeyState(keyState, namespace.kernel.fresh(limit, nowMs));
    const verdict = this.#decideBy(keyState);
    this.#evaluator.publishEvicted();
    return verdict;
  }

  /**
   * Decides by the kernel alone. If the decision costs nothing or exhausts the key, it does nothing and returns undefined.
   */
  #decideBy(keyState: KeyState): Verdict | undefined {
    const context = this.#context;
    const { namespace, cursor, limit, cost, nowMs } = context;
    const { kernel, name } = namespace;
    const { state } = keyState;
    const available = kernel.available(state, limit, nowMs);
    if (cost > available) return this.#refuse(state, available);
    const units = Math.max(1, cost);
    const remaining = available - cost;
    if (cost === 0 || remaining <= 0) return undefined;
    const delayMs = kernel.delayMs === undefined ? 0 : kernel.delayMs(state, limit, nowMs);
    kernel.spend(state, limit, cost, nowMs);
    const resetAfterMs = kernel.waitMs(state, limit, limit.quota, nowMs);
    const keptMs = kernel.retentionMs?.(state, limit, nowMs) ?? (resetAfterMs as number);
    const used = limit.quota - remaining;
    if (this.#table.write(cursor, keyState, nowMs + keptMs, notExhausted(used, limit.quota), nowMs))
      context.dropScratch();
    const retryAfterMs = units <= remaining ? 0 : kernel.waitMs(state, limit, units, nowMs);
    return { name, limit, cost, allowed: true, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  }

  /** Refuses a check that costs more than is available in a state. */
  #refuse(state: object, available: number): Verdict {
    const { namespace, limit, cost, nowMs } = this.#context;
    const { kernel, name } = namespace;
    const remaining = Math.max(0, available);
    const used = limit.quota - available;
    const resetAfterMs = kernel.waitMs(state, limit, limit.quota, nowMs);
    const retryAfterMs = kernel.waitMs(state, limit, Math.max(1, cost), nowMs);
    return { name, limit, cost, allowed: false, remaining, used, resetAfterMs, retryAfterMs, delayMs: 0 };
  }

  #decideInFull(): Verdict {
    const context = this.#context;
    this.#evaluator.evaluate(context, NO_TERMS, NO_OTHERS, 0);
    const { namespace, limit, cost, allowed } = context;
    this.#evaluator.recordIn(context, cost, allowed);
    const verdict = verdictOf({ name: namespace.name, limit, cost }, context);
    this.#evaluator.publishEvicted();
    return verdict;
  }
}

function isServed(limit: Limit): boolean {
  return limit.calendar === undefined && !usesSlots(limit) && isAlgorithm(limit.algorithm);
}
