// Why it is so: docs/why/operations.md

import { areOutside } from '../check-evaluation.js';
import {
  changeKeptMs,
  isRemembered,
  type MadeChange,
  madeBy,
  notMadeBecause,
  type OperationRecord,
  type RememberedRequest,
  replayOrDecide,
} from '../operation-record.js';
import type { Change, ChangeResponse, LimitCheck, StoreRequest, StoreResponse } from '../store.js';
import { tooLateError } from '../store-failure.js';
import { unitChecks } from '../unit-checks.js';
import { ExpiringMap } from './expiring-map.js';
import type { GeneralRoute } from './general-route.js';

/**
 * The route of a memory store for what may be repeated. A request with an id is decided once, and a change with an id is made once: it
 * keeps what they have done. Any other goes on to the general route.
 */
export class OperationRoute {
  /** The records of requests by their ids. */
  readonly records: ExpiringMap<OperationRecord>;
  /** What was made by the ids of changes. */
  readonly changes: ExpiringMap<MadeChange>;
  readonly #general: GeneralRoute;

  /** @param maxIds - how many ids of requests are kept, and how many of changes; the oldest are dropped first */
  constructor(general: GeneralRoute, maxIds: number) {
    this.#general = general;
    this.records = new ExpiringMap(maxIds);
    this.changes = new ExpiringMap(maxIds);
  }

  consume(request: StoreRequest, nowMs: number): StoreResponse {
    const { notAfterMs } = request;
    if (notAfterMs !== undefined && nowMs > notAfterMs) throw tooLateError(nowMs);
    return isRemembered(request) ? this.#consumeOnce(request, nowMs) : this.#consumeAnew(request, nowMs);
  }

  #consumeOnce(request: RememberedRequest, nowMs: number): StoreResponse {
    const { id, holdMs } = request;
    const kept = {
      record: this.records.recall(id, nowMs),
      holdsSlot: (check: LimitCheck, i: number, slotId: string) => this.#general.holdsSlot(check, i, slotId, nowMs),
      decide: () => this.#consumeAnew(request, nowMs),
      remember: (record: OperationRecord) => this.records.remember(id, record, nowMs + holdMs, nowMs),
    };
    return replayOrDecide(request, kept, nowMs);
  }

  #consumeAnew(request: StoreRequest, nowMs: number): StoreResponse {
    if (areOutside(request.checks, nowMs)) {
      return { atMs: nowMs, allowed: false, verdicts: [], outsideCalendarBounds: true };
    }
    return this.#general.decide(request, nowMs);
  }

  adjust(change: Change, nowMs: number): ChangeResponse {
    const { checks, id } = change;
    if (areOutside(checks, nowMs)) return { atMs: nowMs, result: 'outside-calendar-bounds', verdicts: [] };
    const result = notMadeBecause(change, id === undefined ? undefined : this.changes.recall(id, nowMs), nowMs);
    if (!result) return this.#general.correct(change, nowMs, (keptMs) => this.#rememberMade(change, keptMs, nowMs));
    const { verdicts } = this.#general.decide({ checks: unitChecks(checks), peek: true }, nowMs);
    return { atMs: nowMs, result, verdicts };
  }

  #rememberMade(change: Change, keptMs: number, nowMs: number): void {
    const { id } = change;
    if (id === undefined) return;
    this.changes.remember(id, madeBy(change), nowMs + changeKeptMs(change, keptMs, nowMs), nowMs);
  }
}
