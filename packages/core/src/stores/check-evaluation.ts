import { neededUnits, remainingUnits } from '../algorithms/arithmetic/margin.js';
import type { Kernel } from '../algorithms/kernel.js';
import type { KeyState } from '../algorithms/key-state.js';
import { LimitState } from '../algorithms/limit-state.js';
import { type CalendarBounds, intervalAt } from '../values/calendar.js';
import { SluiceError } from '../values/error.js';
import { type Limit, usesSlots } from '../values/limit.js';
import type { LimitAnswer } from './reply.js';
import type { Change, Correction, LimitCheck, StoreRequest } from './store.js';

/**
 * Evaluates one check at one moment: whether its limit admits it, and what the decision leaves behind. It does not know
 * where a store keeps its keys, so that all stores which count in this process decide alike.
 *
 * One evaluation can be used for many checks, one after the other.
 */
export class CheckEvaluation implements LimitAnswer {
  limit!: Limit;
  cost = 0;
  /** The margin of the check; 0 if it has none. */
  margin = 0;
  isShadow = false;
  calendarBoundsMs: CalendarBounds | undefined;
  /** The time of the check. Never a small integer: see "Objects and fields" in `packages/bench/docs/v8.md`. */
  nowMs = Number.NaN;
  readonly limitState = new LimitState();
  allowed = false;
  delayMs = 0;
  overQuota = 0;

  /** Begins the evaluation of this check. */
  begin(check: LimitCheck, nowMs: number): void {
    this.limit = check.limit;
    this.cost = check.cost;
    this.margin = check.margin ?? 0;
    this.isShadow = check.shadow === true;
    this.calendarBoundsMs = check.calendarBoundsMs;
    this.nowMs = nowMs;
  }

  /** Reads the state of the key under the limit. Without `kept`, it is a key that was never seen. */
  readState(kernel: Kernel, kept: KeyState | undefined): void {
    const { limit, calendarBoundsMs, nowMs } = this;
    const interval = calendarBoundsMs === undefined ? undefined : intervalAt(calendarBoundsMs, nowMs);
    this.limitState.read(kernel, limit, kept, nowMs, interval);
  }

  /**
   * Decides whether the limit admits this many units.
   *
   * @param renew - as in the request
   */
  judge(units: number, id: string | undefined, renew?: StoreRequest['renew']): void {
    const { limitState, margin } = this;
    this.allowed = limitState.admits(units, margin, id) && (renew !== 'held' || limitState.holdsSlot(id));
    this.delayMs = this.allowed ? limitState.delayMs : 0;
    this.overQuota = this.allowed && margin > 0 ? limitState.overQuota(units, id) : 0;
  }

  /** Admits, whatever the limit says. */
  admit(units: number, id: string | undefined): void {
    const { limitState } = this;
    this.allowed = true;
    this.delayMs = limitState.delayMs;
    this.overQuota = limitState.overQuota(units, id);
  }

  /** Refuses, whatever the limit says. */
  deny(): void {
    this.allowed = false;
    this.delayMs = 0;
    this.overQuota = 0;
  }

  /**
   * Returns the units that the decision spends on this check. For a refusal, they are the units that were refused.
   *
   * @param taken - for a request with `atLeast`: the units taken from every check
   */
  unitsFor(request: StoreRequest, maySpend: boolean, taken: number | undefined): number {
    return (maySpend && this.allowed ? taken : request.atLeast) ?? this.cost;
  }

  /** Records the units of an admission or a refusal. Returns whether the state has to be written. */
  record(units: number, maySpend: boolean, id?: string): boolean {
    return maySpend && this.allowed
      ? this.limitState.spend(units, id)
      : this.limitState.refuse(units, this.margin, !maySpend);
  }

  /** Milliseconds for which nothing is admitted, whatever is available; 0 if that is not so. */
  get closedMs(): number | 'never' {
    return this.limitState.untilMs(Number.NEGATIVE_INFINITY);
  }

  get remaining(): number {
    return remainingUnits(this.limitState.remaining, this.margin);
  }

  get blocked(): boolean {
    return this.limitState.isHeld;
  }

  get used(): number {
    return this.limitState.used;
  }

  get resetAfterMs(): number | 'never' {
    return this.limitState.resetAfterMs;
  }

  get retryAfterMs(): number | 'never' {
    return this.limitState.untilMs(neededUnits(Math.max(1, this.cost), this.margin));
  }
}

/**
 * Returns the units that every enforced check has available, up to its cost: what a request with `atLeast` takes. If only a
 * margin admits the request, it takes no more than `atLeast`.
 */
export function mostThatFits(evaluations: readonly CheckEvaluation[], atLeast: number): number {
  const enforced = evaluations.filter(({ isShadow }) => !isShadow);
  // If no check is enforced, nothing limits the largest cost.
  const largest = Math.max(0, ...evaluations.map(({ cost }) => cost));
  const most = ({ cost, remaining, allowed }: CheckEvaluation): number =>
    Math.min(cost, allowed ? Math.max(remaining, atLeast) : remaining);
  return Math.min(largest, ...enforced.map(most));
}

/** Corrects a charge by a check of a change. Returns whether anything changed. */
export function corrected(limitState: LimitState, { cost, atMs }: Correction, change: Change): boolean {
  if (cost >= 0) return limitState.charge(cost);
  return limitState.giveBack({ units: -cost, atMs: atMs ?? change.atMs, id: change.id, unspent: change.unspent });
}

/** Whether the time is outside the interval boundaries of a calendar check. */
export function areOutside(checks: readonly LimitCheck[], nowMs: number): boolean {
  for (const { calendarBoundsMs } of checks) {
    if (calendarBoundsMs !== undefined && intervalAt(calendarBoundsMs, nowMs) === undefined) return true;
  }
  return false;
}

/**
 * Checks that the check has an id if its limit has slots.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` if nobody could free the slot
 */
export function checkSlotId(limit: Limit, name: string, { id, peek }: Pick<StoreRequest, 'id' | 'peek'>): void {
  if (id || peek || !usesSlots(limit)) return;
  throw new SluiceError('SLUICE_UNSUPPORTED', `the concurrency limit ${name} needs an id that names the slot`);
}
