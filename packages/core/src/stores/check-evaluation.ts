import type { Kernel } from '../algorithms/kernel.js';
import { type KeyState, LimitState } from '../algorithms/limit-state.js';
import { type Edges, intervalAt } from '../values/calendar.js';
import { SluiceError } from '../values/error.js';
import { type Limit, usesSlots } from '../values/limit.js';
import type { LimitAnswer } from './reply.js';
import type { Ask, Check } from './store.js';

/**
 * One check at one moment: whether its limit admits it, and what the answer leaves behind. It knows nothing of where a
 * store keeps its keys, so that every store which counts in this process evaluates alike.
 *
 * An evaluation may be used again for another check.
 */
export class CheckEvaluation implements LimitAnswer {
  limit!: Limit;
  cost = 0;
  isShadow = false;
  edgesMs: Edges | undefined;
  /** When it is asked. Never a small integer, so that it is kept in place, not in an object of its own. */
  nowMs = Number.NaN;
  readonly limitState = new LimitState();
  allowed = false;
  delayMs = 0;

  /** Makes it the evaluation of this check. */
  begin(check: Check, nowMs: number): void {
    this.limit = check.limit;
    this.cost = check.cost;
    this.isShadow = check.shadow === true;
    this.edgesMs = check.edgesMs;
    this.nowMs = nowMs;
  }

  /** Reads how the limit stands with what is kept of the key; with nothing, if it was never seen. */
  readState(kernel: Kernel, kept: KeyState | undefined): void {
    const { limit, edgesMs, nowMs } = this;
    const interval = edgesMs === undefined ? undefined : intervalAt(edgesMs, nowMs);
    this.limitState.read(kernel, limit, kept, nowMs, interval);
  }

  /** Finds out whether the limit admits so many units. */
  judge(units: number, id: string | undefined): void {
    this.allowed = this.limitState.admits(units, id);
    this.delayMs = this.allowed ? this.limitState.delayMs : 0;
  }

  /** Refuses, whatever the limit says. */
  deny(): void {
    this.allowed = false;
    this.delayMs = 0;
  }

  /**
   * The units that an answer spends on this check, or that a refusal is about.
   *
   * @param taken - what an ask with `atLeast` takes on every check
   */
  unitsFor(ask: Ask, maySpend: boolean, taken: number | undefined): number {
    return (maySpend && this.allowed ? taken : ask.atLeast) ?? this.cost;
  }

  /** Records what an answer spends, or what a refusal leaves behind. Returns whether the state has to be written. */
  record(units: number, maySpend: boolean, id?: string): boolean {
    return maySpend && this.allowed ? this.limitState.spend(units, id) : this.limitState.refuse(units, !maySpend);
  }

  get remaining(): number {
    return this.limitState.remaining;
  }

  get used(): number {
    return this.limitState.used;
  }

  get resetAfterMs(): number | 'never' {
    return this.limitState.resetAfterMs;
  }

  get retryAfterMs(): number | 'never' {
    return this.limitState.untilMs(Math.max(1, this.cost));
  }
}

/** The units that every enforced check has, up to its cost: what an ask with `atLeast` takes. */
export function mostThatFits(evaluations: readonly CheckEvaluation[]): number {
  const enforced = evaluations.filter(({ isShadow }) => !isShadow);
  // Where none is enforced, nothing is in the way of the largest cost.
  const largest = Math.max(0, ...evaluations.map(({ cost }) => cost));
  return Math.min(largest, ...enforced.map(({ cost, limitState }) => Math.min(cost, limitState.remaining)));
}

/** Whether the time is outside the edges of a calendar check. */
export function areOutside(checks: readonly Check[], nowMs: number): boolean {
  for (const { edgesMs } of checks) {
    if (edgesMs !== undefined && intervalAt(edgesMs, nowMs) === undefined) return true;
  }
  return false;
}

/** @throws SluiceError `SLUICE_UNSUPPORTED` for a slot that nobody could give back */
export function checkSlotId(limit: Limit, name: string, { id, peek }: Pick<Ask, 'id' | 'peek'>): void {
  if (id || peek || !usesSlots(limit)) return;
  throw new SluiceError('SLUICE_UNSUPPORTED', `the concurrency limit ${name} needs an id that holds the slot`);
}
