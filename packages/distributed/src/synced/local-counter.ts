import { type RequestTimeout, requestTimeoutOf } from '@sluice/core/src/stores/request-timeout';
import type { LimitCheck, StoreRequest, StoreResponse, Target } from '@sluice/core/src/stores/store';
import type { Verdict } from '@sluice/core/src/values/decision';
import { nextOperationId } from '@sluice/core/src/values/operation-id';
import { Demand } from '../in-front/demand.js';
import { laterVerdict } from '../in-front/derived-response.js';
import { haveSameNumbers } from '../in-front/request-kind.js';

/**
 * Marks a request to the store. The response includes all units that were synced, and all that the store had spent, when it
 * was asked.
 */
interface CounterMark {
  readonly number: number;
  readonly checks: readonly LimitCheck[];
  readonly synced: number;
  readonly storeSpent: number;
  readonly changes: number;
}

/** The response of the store, and when it arrived. */
interface View extends CounterMark {
  readonly response: StoreResponse;
  /** The remaining units of the tightest limit. */
  readonly remaining: number;
  readonly observedMs: number;
}

/** Units that are sent to the store in one step. */
interface Batch {
  readonly units: number;
  /** The time of the first response that admitted some of them. */
  readonly firstMs: number;
}

/** A batch without a request. It always has the same id, so that the store counts it once. */
export interface Report extends Batch {
  readonly id: string;
  /** The limits that were reset since its units were admitted: they do not count there any more. */
  readonly without?: readonly Target[];
}

/** A batch that the store has counted. */
interface Counted {
  readonly firstMs: number;
  /** The store's time at which it counted them. */
  readonly atMs: number;
  /** The units that were not given back. */
  units: number;
}

/** How many batches are remembered. Units of older batches are given back as if they were counted when they were admitted. */
const MOST_COUNTED = 100;

/** The knowledge of one process about one kind of request: the store's last response, and the unsynced units. */
export class LocalCounter {
  /** Whether its requests are counted here. Otherwise it only knows how often they come. */
  isCounting = false;
  /** The checks of the last request. They have the newest numbers and calendar. */
  checks: readonly LimitCheck[];
  /** How often its kind of request comes. */
  readonly demand: Demand;
  /** How long its requests wait for the store. */
  readonly requestTimeout: RequestTimeout;
  /**
   * The units that were admitted here; those of them that were sent to the store; and those that the store has
   * confirmed.
   */
  #admitted = 0;
  #sent = 0;
  #synced = 0;
  /** The time of the first response that admitted units that are not sent yet. */
  #firstMs = Number.POSITIVE_INFINITY;
  /** The last batches that the store has counted, the oldest first. */
  readonly #counted: Counted[] = [];
  /** Reports that may have been lost. They are repeated unchanged. */
  #unconfirmed: Report[] = [];
  /** Units of requests from here that the store itself decided. */
  #storeSpent = 0;
  #marks = 0;
  #view: View | undefined;
  /** How often this process changed something else in the store. */
  #changes = 0;

  constructor(request: StoreRequest, syncMs: number, busyFrom: number) {
    this.demand = new Demand(syncMs, busyFrom);
    this.checks = request.checks;
    this.requestTimeout = requestTimeoutOf(request);
  }

  /** Units that were admitted here and may not be in the store. */
  get unsynced(): number {
    return this.#admitted - this.#synced;
  }

  /** Units that no report contains. */
  get unsent(): number {
    return this.#admitted - this.#sent;
  }

  /**
   * Decides a request that costs the same on every limit, if this process knows enough. Otherwise it returns undefined,
   * and the store has to be asked:
   *
   * - if the last response is missing or too old,
   * - if more than a slice would be admitted after the last response,
   * - if the request could be the last to be admitted, or the first to be refused. Only the store knows when there is
   *   room again.
   */
  decide(
    checks: readonly LimitCheck[],
    cost: number,
    slice: number,
    nowMs: number,
    youngMs: number,
  ): StoreResponse | undefined {
    const view = this.#view;
    if (!view || !isYoung(view, nowMs, youngMs) || !haveSameNumbers(checks, view.checks)) return undefined;
    const response = this.#decideBy(view, checks, cost, slice, nowMs);
    if (response) this.demand.noteServed(cost);
    return response;
  }

  /** Marks a request to the store, which is sent now: `observed` needs it. */
  mark(): CounterMark {
    this.#marks += 1;
    const [number, synced, storeSpent, changes] = [this.#marks, this.#synced, this.#storeSpent, this.#changes];
    return { number, checks: this.checks, synced, storeSpent, changes };
  }

  /** Keeps the store's response to a request. Replies may arrive in another order. */
  observed(response: StoreResponse, mark: CounterMark, observedMs: number): void {
    if (!this.isCounting || mark.changes < this.#changes || mark.number < (this.#view?.number ?? 0)) return;
    let remaining = Number.POSITIVE_INFINITY;
    for (const verdict of response.verdicts) remaining = Math.min(remaining, verdict.remaining);
    // The new members come first: see "Copies" in `packages/bench/docs/v8.md`.
    this.#view = { response, remaining, observedMs, ...mark };
  }

  /** Notes that the store has spent units for a request from here. */
  storeSpent(units: number): void {
    this.#storeSpent += units;
  }

  /** Decides nothing more until it counts again. What it has admitted is still to be reported. */
  stopCounting(): void {
    this.isCounting = false;
    this.changed();
  }

  /** Forgets the last response, and those on their way, because something was changed in the store. */
  changed(): void {
    this.#view = undefined;
    this.#changes += 1;
  }

  /** Begins to send the units that were not sent. */
  send(): Batch {
    const batch = { units: this.unsent, firstMs: this.#firstMs };
    this.#sent += batch.units;
    this.#firstMs = Number.POSITIVE_INFINITY;
    return batch;
  }

  /** Ends a batch that the store has counted, at this time by its own clock if that is known. */
  counted({ units, firstMs }: Batch, atMs: number | undefined): void {
    this.#synced += units;
    if (units === 0 || atMs === undefined) return;
    this.#counted.push({ firstMs, atMs, units });
    if (this.#counted.length > MOST_COUNTED) this.#counted.shift();
  }

  /** Ends a batch that the store has not counted. Its units are sent again. */
  notCounted({ units, firstMs }: Batch): void {
    this.#sent -= units;
    this.#firstMs = Math.min(this.#firstMs, firstMs);
  }

  /**
   * Gives back units of one request that was admitted here. Returns the store's time at which it counted them; undefined
   * if that is not known. The store finds them by that time, and not by the time of the request.
   */
  giveBack(units: number, admittedMs: number): number | undefined {
    const counted = this.#counted.find(
      (batch) => batch.firstMs <= admittedMs && admittedMs <= batch.atMs && units <= batch.units,
    );
    if (counted) counted.units -= units;
    return counted?.atMs;
  }

  /** Begins all reports that are due. Each of them ends with `counted`, `notCounted` or `unconfirmed`. */
  reports(): readonly Report[] {
    const reports = this.#unconfirmed;
    this.#unconfirmed = [];
    const batch = this.send();
    return batch.units === 0 ? reports : [...reports, { ...batch, id: nextOperationId() }];
  }

  /** Notes that nobody knows whether the store has counted a report. */
  unconfirmed(report: Report): void {
    this.#unconfirmed.push(report);
  }

  #decideBy(
    view: View,
    checks: readonly LimitCheck[],
    cost: number,
    slice: number,
    nowMs: number,
  ): StoreResponse | undefined {
    const since = this.#since(view);
    const free = view.remaining - this.#spentSince(view);
    if (since + cost <= slice && 2 * cost <= free) return this.#admit(view, checks, cost, nowMs);
    const isKnown = this.#spentSince(view) === 0 && isStillRefused(view, cost, nowMs);
    return isKnown ? answer(view, checks, 0, false, nowMs) : undefined;
  }

  #admit(view: View, checks: readonly LimitCheck[], cost: number, nowMs: number): StoreResponse {
    this.#admitted += cost;
    const response = answer(view, checks, this.#spentSince(view), true, nowMs);
    this.#firstMs = Math.min(this.#firstMs, response.atMs);
    return response;
  }

  /** Units that were admitted here and may be missing in the store's response. */
  #since({ synced }: View): number {
    return this.#admitted - synced;
  }

  /** The same, and the units that the store itself has spent for requests from here since then. */
  #spentSince(view: View): number {
    return this.#since(view) + this.#storeSpent - view.storeSpent;
  }
}

/** If the clock went back, nobody knows how old the response is. */
function isYoung({ observedMs }: View, nowMs: number, youngMs: number): boolean {
  return nowMs >= observedMs && nowMs - observedMs < youngMs;
}

/** Whether a request with the cost of the refused one would still be refused. */
function isStillRefused({ response, observedMs }: View, cost: number, nowMs: number): boolean {
  return response.verdicts.some(
    (verdict) =>
      verdict.cost === cost &&
      verdict.remaining < cost &&
      (verdict.retryAfterMs === 'never' || nowMs < observedMs + verdict.retryAfterMs),
  );
}

function answer(
  { response, observedMs }: View,
  checks: readonly LimitCheck[],
  since: number,
  allowed: boolean,
  nowMs: number,
): StoreResponse {
  const agoMs = Math.max(0, nowMs - observedMs);
  const verdicts = new Array<Verdict>(checks.length);
  for (let i = 0; i < checks.length; i += 1) {
    const there = response.verdicts[i] as Verdict;
    verdicts[i] = laterVerdict(checks[i] as LimitCheck, there, since, allowed, agoMs);
  }
  const { timesMs } = response;
  const now = { atMs: response.atMs + agoMs, allowed, verdicts };
  return timesMs ? { ...now, timesMs: timesMs.map((atMs) => (atMs === undefined ? atMs : atMs + agoMs)) } : now;
}
