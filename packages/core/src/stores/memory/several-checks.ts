// Why it is so: docs/why/memory-store.md

import type { Verdict } from '../../values/decision.js';
import { corrected, mostThatFits } from '../check-evaluation.js';
import { guaranteeAt } from '../guarantee.js';
import { slotIdOf } from '../operation-record.js';
import { verdictOf } from '../reply.js';
import type {
  Change,
  ChangeResponse,
  ChangeResult,
  Correction,
  LimitCheck,
  StoreRequest,
  StoreResponse,
} from '../store.js';
import { unitChecks } from '../unit-checks.js';
import { CheckContext, type Evaluator } from './evaluate.js';
import type { LimitNamespaces } from './limit-namespaces.js';

const NO_OTHERS: readonly CheckContext[] = [];

/** The route of a memory store for every request: any number of checks, of any kind. See `SingleCheck` for the other one. */
export class SeveralChecks {
  readonly #namespaces: LimitNamespaces;
  readonly #evaluator: Evaluator;
  /** One context per position in a request. The next request uses them again. */
  readonly #contexts: CheckContext[] = [];

  constructor(namespaces: LimitNamespaces, evaluator: Evaluator) {
    this.#namespaces = namespaces;
    this.#evaluator = evaluator;
  }

  /** Decides a request, and spends if all limits allow. */
  decide(request: StoreRequest, nowMs: number): StoreResponse {
    const { checks, atLeast } = request;
    let allowed = true;
    for (let i = 0; i < checks.length; i += 1) {
      const context = this.#begin(checks[i] as LimitCheck, i, nowMs);
      const guarantee = guaranteeAt(checks, i, this.#contexts);
      guarantee?.keepFree();
      this.#evaluator.evaluate(context, request, this.#contexts, i);
      guarantee?.grant(context.cost, slotIdOf(request));
      allowed &&= context.allowed || context.isShadow;
    }
    const taken = atLeast === undefined ? undefined : mostThatFits(this.#contexts.slice(0, checks.length), atLeast);
    if (request.peek !== true) this.#record(request, allowed && !request.peek, taken);
    const verdicts = this.#verdicts(checks);
    this.#evaluator.publishEvicted();
    return taken === undefined
      ? { atMs: nowMs, allowed, verdicts }
      : { atMs: nowMs, allowed, verdicts, taken: allowed ? taken : 0 };
  }

  /**
   * Makes a change that was not made before.
   *
   * @param remember - called when it is made, with how long the states that it concerns matter
   */
  correct(change: Change, nowMs: number, remember: (keptMs: number) => void): ChangeResponse {
    const { checks } = change;
    let result: ChangeResult = 'expired';
    let keptMs = 0;
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as Correction;
      const context = this.#begin(check, i, nowMs);
      this.#evaluator.read(context);
      const { limitState } = context;
      // Also measured before the change: a change that gives everything back leaves no state, but must not be made
      // again.
      keptMs = Math.max(keptMs, limitState.keptMs);
      // The checks before it in this change are already written, or never will be.
      const isChanged = this.#evaluator.hasRoomFor(context, NO_OTHERS, 0) && corrected(limitState, check, change);
      if (isChanged || limitState.isCorrected) this.#evaluator.write(context);
      if (isChanged) result = 'applied';
      keptMs = Math.max(keptMs, limitState.keptMs);
    }
    remember(keptMs);
    const verdicts = this.#verdictsOfOneUnit(unitChecks(checks));
    this.#evaluator.publishEvicted();
    return { atMs: nowMs, result, verdicts };
  }

  /** Returns the verdicts of checks that were read, as a peek at one unit would. */
  #verdictsOfOneUnit(checks: readonly LimitCheck[]): Verdict[] {
    for (let i = 0; i < checks.length; i += 1) {
      const { cost } = checks[i] as LimitCheck;
      const context = this.#contextAt(i);
      const guarantee = guaranteeAt(checks, i, this.#contexts);
      context.cost = cost;
      guarantee?.keepFree();
      this.#evaluator.judgeAmong(context, cost, undefined, NO_OTHERS, 0);
      guarantee?.grant(cost, undefined);
    }
    return this.#verdicts(checks);
  }

  /** Returns the verdicts of checks that were judged. */
  #verdicts(checks: readonly LimitCheck[]): Verdict[] {
    const verdicts = new Array<Verdict>(checks.length);
    for (let i = 0; i < checks.length; i += 1) {
      verdicts[i] = verdictOf(checks[i] as LimitCheck, guaranteeAt(checks, i, this.#contexts) ?? this.#contextAt(i));
    }
    return verdicts;
  }

  /** Whether an id holds a slot of a check. */
  holdsSlot(check: LimitCheck, index: number, slotId: string, nowMs: number): boolean {
    const context = this.#begin(check, index, nowMs);
    this.#evaluator.read(context);
    return context.limitState.holdsSlot(slotId);
  }

  /** Turns the context of a position to a check. */
  #begin(check: LimitCheck, index: number, nowMs: number): CheckContext {
    const context = this.#contextAt(index);
    context.beginIn(this.#namespaces.ofLimit(check, context.namespace), check, nowMs);
    return context;
  }

  #contextAt(index: number): CheckContext {
    this.#contexts[index] ??= new CheckContext();
    return this.#contexts[index];
  }

  /** Writes the units of an admission or a refusal. */
  #record(request: StoreRequest, isAllowed: boolean, taken: number | undefined): void {
    // A renewal is not a new request: each slot is renewed, or not, by itself.
    const maySpend = isAllowed || request.renew !== undefined;
    const slotId = slotIdOf(request);
    for (let i = 0; i < request.checks.length; i += 1) {
      const context = this.#contextAt(i);
      this.#evaluator.recordIn(context, context.unitsFor(request, maySpend, taken), maySpend, slotId);
    }
  }
}
