import { withCalendarBounds } from '@sluice/core/src/stores/calendar-checks';
import { concerns } from '@sluice/core/src/stores/check-set-map';
import type { LimitCheck, StoreRequest, StoreResponse, Target } from '@sluice/core/src/stores/store';
import { CalendarBoundsCache } from '@sluice/core/src/values/calendar';
import { FRESH, type ProtectedStore } from '@sluice/remote/guard/protected-store';
import { RunningPromises } from '@sluice/remote/guard/running-promises';
import { withoutMore } from '../in-front/derived-response.js';
import { bestEffort } from './best-effort.js';
import type { LocalCounter, Report } from './local-counter.js';

/** Reports admitted units to a store, and reads the state of its limits. */
export class Synchronizer {
  readonly #store: ProtectedStore;
  readonly #calendarBounds: CalendarBoundsCache;
  /** The reports that are on their way. */
  readonly #reporting = new RunningPromises();
  #isEnding = false;

  constructor(store: ProtectedStore) {
    this.#store = store;
    this.#calendarBounds = new CalendarBoundsCache(store.clock);
  }

  /** Asks the store about a request, and reports admitted units in the same step. */
  async ask(counter: LocalCounter, request: StoreRequest, cost: number): Promise<StoreResponse> {
    // More units than the quota would never fit.
    const isTooMuch = request.checks.some(({ limit }) => counter.unsent + cost > limit.quota);
    if (isTooMuch) this.report(counter);
    const batch = counter.send();
    const { units } = batch;
    const mark = counter.mark();
    let isCounted = false;
    let countedMs: number | undefined;
    try {
      const checks = request.checks.map((check) => ({ ...check, cost: cost + units }));
      const answer = await this.#store.consume({ ...request, checks }, FRESH);
      if (answer.outsideCalendarBounds) return answer;
      isCounted = answer.allowed;
      countedMs = answer.atMs;
      const response = units === 0 ? answer : withoutMore(request, answer, units);
      if (isCounted) counter.storeSpent(cost);
      const [synced, storeSpent] = [mark.synced + units, mark.storeSpent + (isCounted ? cost : 0)];
      if (isCounted || units === 0)
        counter.observed(response, { ...mark, synced, storeSpent }, this.#store.clock.now());
      return response;
    } finally {
      if (isCounted) {
        counter.counted(batch, countedMs);
      } else {
        counter.notCounted(batch);
        this.report(counter);
      }
    }
  }

  /**
   * Reports admitted units to the store. A report that may have been lost is repeated the next time. Returns whether a response showed the
   * state of the limits.
   *
   * @param reset - limits that are going to be reset, where the units do not count any more
   */
  async report(counter: LocalCounter, reset: readonly Target[] = []): Promise<boolean> {
    const reports = counter.reports();
    if (reports.length === 0) return false;
    let isSeen = false;
    const made = reports.map((one) => {
      const report = reset.length === 0 ? one : { ...one, without: [...(one.without ?? []), ...reset] };
      const checks = checksOf(counter, report);
      return bestEffort(checks, async () => {
        if (await this.#report(counter, checks, report, reports.length === 1)) isSeen = true;
      });
    });
    await this.#reporting.add(Promise.all(made));
    return isSeen;
  }

  /** Returns whether its response shows all limits of the counter, with these units. */
  async #report(
    counter: LocalCounter,
    checks: readonly LimitCheck[],
    report: Report,
    isAlone: boolean,
  ): Promise<boolean> {
    const { units, id } = report;
    if (checks.length === 0) {
      counter.counted(report, undefined);
      return false;
    }
    const mark = counter.mark();
    try {
      const charged = checks.map((check) => ({ ...check, cost: units }));
      const { result, atMs, verdicts } = await this.#store.adjust({ checks: charged, id, ...counter.requestTimeout });
      if (result === 'outside-calendar-bounds') {
        counter.notCounted(report);
        return false;
      }
      // A report that was counted before, and its response lost, was counted at another time.
      counter.counted(report, result === 'applied' ? atMs : undefined);
      // Of reports that run at the same time, nobody knows which of the others a response includes.
      if (!isAlone || checks !== mark.checks) return false;
      const allowed = verdicts.every((verdict) => verdict.allowed);
      counter.observed({ atMs, allowed, verdicts }, { ...mark, synced: mark.synced + units }, this.#store.clock.now());
      return true;
    } catch (error) {
      counter.unconfirmed(report);
      throw error;
    }
  }

  /** Reads the state of the limits. If the calendar interval has changed, the next report uses the new one. */
  #peek(counter: LocalCounter): Promise<void> {
    const { checks, requestTimeout } = counter;
    return bestEffort(checks, async () => {
      const mark = counter.mark();
      const response = await this.#store.consume({ checks, peek: true, ...requestTimeout }, FRESH);
      if (response.outsideCalendarBounds)
        counter.checks = withCalendarBounds(this.#calendarBounds, checks, response.atMs);
      else counter.observed(response, mark, this.#store.clock.now());
    });
  }

  /** Reports to the store, and reads the state of its limits if no report has shown it. What fails is repeated the next time. */
  async sync(counter: LocalCounter): Promise<void> {
    const isSeen = await this.report(counter);
    if (!isSeen && !this.#isEnding) await this.#peek(counter);
  }

  /** Resolves when all reports have ended. Afterwards no state is read any more. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#reporting.ended();
  }
}

/** Returns the checks in which the units of a report count. */
function checksOf({ checks }: LocalCounter, { without }: Report): readonly LimitCheck[] {
  return without ? checks.filter((check) => !concerns(without, [check])) : checks;
}
