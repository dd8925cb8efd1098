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
import type { LimitNamespaces } from './limit-namespaces.js';
import { RowEvaluation, type RowEvaluator } from './row-evaluator.js';

const NO_OTHERS: readonly RowEvaluation[] = [];

/** The route of a memory store for every request: any number of checks, of any kind. See `SingleCheck` for the other one. */
export class GeneralRoute {
  readonly #namespaces: LimitNamespaces;
  readonly #evaluator: RowEvaluator;
  /** One evaluation per position in a request. The next request uses them again. */
  readonly #evaluations: RowEvaluation[] = [];

  constructor(namespaces: LimitNamespaces, evaluator: RowEvaluator) {
    this.#namespaces = namespaces;
    this.#evaluator = evaluator;
  }

  /** Decides a request, and spends if all limits allow. */
  decide(request: StoreRequest, nowMs: number): StoreResponse {
    const { checks, atLeast } = request;
    let allowed = true;
    for (let i = 0; i < checks.length; i += 1) {
      const evaluation = this.#begin(checks[i] as LimitCheck, i, nowMs);
      const guarantee = guaranteeAt(checks, i, this.#evaluations);
      guarantee?.keepFree();
      this.#evaluator.evaluate(evaluation, request, this.#evaluations, i);
      guarantee?.grant(evaluation.cost, slotIdOf(request));
      allowed &&= evaluation.allowed || evaluation.isShadow;
    }
    const taken = atLeast === undefined ? undefined : mostThatFits(this.#evaluations.slice(0, checks.length), atLeast);
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
      const evaluation = this.#begin(check, i, nowMs);
      this.#evaluator.read(evaluation);
      const { limitState } = evaluation;
      // Also measured before the change: a change that gives everything back leaves no state, but must not be made
      // again.
      keptMs = Math.max(keptMs, limitState.keptMs);
      // The checks before it in this change are already written, or never will be.
      const isChanged = this.#evaluator.hasRoomFor(evaluation, NO_OTHERS, 0) && corrected(limitState, check, change);
      if (isChanged || limitState.isCorrected) this.#evaluator.write(evaluation);
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
      const evaluation = this.#evaluationAt(i);
      const guarantee = guaranteeAt(checks, i, this.#evaluations);
      evaluation.cost = cost;
      guarantee?.keepFree();
      this.#evaluator.judgeAmong(evaluation, cost, undefined, NO_OTHERS, 0);
      guarantee?.grant(cost, undefined);
    }
    return this.#verdicts(checks);
  }

  /** Returns the verdicts of checks that were judged. */
  #verdicts(checks: readonly LimitCheck[]): Verdict[] {
    const verdicts = new Array<Verdict>(checks.length);
    for (let i = 0; i < checks.length; i += 1) {
      verdicts[i] = verdictOf(
        checks[i] as LimitCheck,
        guaranteeAt(checks, i, this.#evaluations) ?? this.#evaluationAt(i),
      );
    }
    return verdicts;
  }

  /** Whether an id holds a slot of a check. */
  holdsSlot(check: LimitCheck, index: number, slotId: string, nowMs: number): boolean {
    const evaluation = this.#begin(check, index, nowMs);
    this.#evaluator.read(evaluation);
    return evaluation.limitState.holdsSlot(slotId);
  }

  /** Turns the evaluation of a position to a check. */
  #begin(check: LimitCheck, index: number, nowMs: number): RowEvaluation {
    const evaluation = this.#evaluationAt(index);
    evaluation.beginIn(this.#namespaces.ofLimit(check, evaluation.namespace), check, nowMs);
    return evaluation;
  }

  #evaluationAt(index: number): RowEvaluation {
    this.#evaluations[index] ??= new RowEvaluation();
    return this.#evaluations[index];
  }

  /** Writes the units of an admission or a refusal. */
  #record(request: StoreRequest, isAllowed: boolean, taken: number | undefined): void {
    // A renewal is not a new request: each slot is renewed, or not, by itself.
    const maySpend = isAllowed || request.renew !== undefined;
    const slotId = slotIdOf(request);
    for (let i = 0; i < request.checks.length; i += 1) {
      const evaluation = this.#evaluationAt(i);
      this.#evaluator.recordIn(evaluation, evaluation.unitsFor(request, maySpend, taken), maySpend, slotId);
    }
  }
}
