// Why it is so: docs/why/verdicts.md

import { withCalendarBounds } from '../stores/calendar-checks.js';
import type {
  Change,
  ChangeResponse,
  LimitCheck,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '../stores/store.js';
import { callingStore } from '../stores/store-failure.js';
import { CalendarBoundsCache } from '../values/calendar.js';
import { passOn, type Receiver } from '../values/deferred.js';
import { SluiceError } from '../values/error.js';
import { type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import { nextOperationId } from '../values/operation-id.js';
import type { PolicyRecorder } from '../values/policy-recorder.js';
import { Fallback, type StoreOutcome } from './fallback.js';
import type { LimitChange } from './limit-change.js';
import { mayBeUnlimited } from './policy/abilities.js';
import type { Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';
import { recordCorrections } from './settle.js';

/**
 * Asks the store of a policy. If the calendar interval has changed, it asks again. If the store fails, the fallback
 * decides.
 */
export class StoreClient {
  readonly store: Store;
  readonly calendarBounds: CalendarBoundsCache;
  /** How long the policy waits for a store over a network; undefined if the store says it. */
  readonly timeoutMs: number | undefined;
  readonly #recorder: PolicyRecorder;
  readonly #fallback: Fallback;
  /** Whether a store counts each limit of the policy, whatever the request is. */
  readonly #countsAll: boolean;

  constructor(
    policy: Pick<Policy<never>, 'name' | 'items' | 'onStoreError' | 'timeoutMs'>,
    store: Store,
    claim: NameClaim,
    recorder: PolicyRecorder,
  ) {
    this.store = store;
    this.timeoutMs = store.remote && policy.timeoutMs;
    this.#countsAll = !policy.items.some(mayBeUnlimited);
    this.calendarBounds = new CalendarBoundsCache(store.clock);
    this.#recorder = recorder;
    this.#fallback = new Fallback(policy, store, claim, this.calendarBounds, recorder);
  }

  /**
   * Asks about the limits that are counted, and passes the outcome to `next`. Unlimited tiers need no store. If the store
   * fails, the fallback's outcome is passed.
   */
  ask<D>(request: StoreRequest, next: (outcome: StoreOutcome) => D): Eventual<D> {
    const checks = this.#countsAll ? request.checks : countedOf(request.checks);
    if (checks.length === 0) return next(uncounted(request));
    const isAsItIs = checks === request.checks && this.timeoutMs === undefined;
    let response: StoreResponse;
    let isOutside: true | undefined;
    try {
      const answer = this.store.consume(isAsItIs ? request : this.#timed({ ...request, checks }));
      if (this.store.async && isPromise(answer)) return this.#whenReplied(answer, request, checks, next);
      response = answer as StoreResponse;
      // Read here, because a store without types may return no response, which is a failure of it.
      isOutside = response.outsideCalendarBounds;
    } catch (error) {
      return next(this.failed(request, checks, error));
    }
    if (isOutside) return whenReady(this.askAgain(request, checks, response.atMs), next);
    return next({ request, checks, response, source: 'store', store: this.store });
  }

  /** Waits for a response. The promise of the result is the only one that is made here. */
  #whenReplied<D>(
    response: PromiseLike<StoreResponse>,
    request: StoreRequest,
    checks: readonly LimitCheck[],
    next: (outcome: StoreOutcome) => D,
  ): Promise<D> {
    return new Promise((resolve) => passOn(response, new PendingOutcome(this, request, checks, next, resolve)));
  }

  /** Asks once more, because the calendar interval has changed. */
  askAgain(request: StoreRequest, checks: readonly LimitCheck[], atMs: number): Eventual<StoreOutcome> {
    const again = askedAnew(request);
    return recover(
      () =>
        whenReady(this.#askInInterval({ ...again, checks }, atMs), (response) =>
          this.#outcome(again, checks, response),
        ),
      (error) => this.failed(request, checks, error),
    );
  }

  /** Returns the decision in place of a failed store. A mistake of the program is thrown. */
  failed(request: StoreRequest, checks: readonly LimitCheck[], error: unknown): StoreOutcome {
    return this.#fallback.answer(request, checks, error);
  }

  /**
   * Makes a correction, and returns the response. If it fails, the failure is published, and the response is undefined: units
   * to give back stay spent, and units to charge are charged in this process.
   */
  adjust(store: Store, change: Change): Eventual<ChangeResponse | undefined> {
    return recover<ChangeResponse | undefined>(
      () => this.#adjust(store, change),
      (error) => {
        this.#fallback.charge(change.checks, error);
        return undefined;
      },
    );
  }

  /**
   * Makes a correction that another process may have made already.
   *
   * @throws SluiceError `SLUICE_STORE` if the store fails. The correction may be repeated
   */
  correct(store: Store, change: Change): Eventual<ChangeResponse> {
    const current = { ...change, checks: withCalendarBounds(this.calendarBounds, change.checks, store.clock.now()) };
    return callingStore(() => this.#adjust(store, current));
  }

  /**
   * Makes a change without a request, and returns the state of the limits after it, as a peek at `request` would. If the
   * store fails, the fallback charges, and returns its state.
   */
  change(request: StoreRequest, change: Change): Eventual<StoreOutcome> {
    return recover(
      () => whenReady(this.#adjust(this.store, change), (response) => this.#outcome(request, change.checks, response)),
      (error) => this.#fallback.change(request, change.checks, error),
    );
  }

  /**
   * Removes states. Returns whether there were any.
   *
   * @throws SluiceError `SLUICE_STORE` if the store fails
   */
  reset(targets: readonly Target[]): Eventual<boolean> {
    const forgotten = this.#fallback.reset(targets);
    return whenReady(
      callingStore(() => this.store.reset(targets)),
      (states) => states + forgotten > 0,
    );
  }

  /** Returns the change to these limits for checks that were charged in a store, which may be the fallback's. */
  changeIn(store: Store, change: LimitChange): LimitChange {
    return store === this.store ? change : this.#fallback.changeHere(change);
  }

  /** Returns the units that an amount is charged as in the store that decided, which may be the fallback's. */
  chargeOf(store: Store, check: LimitCheck, amount: number): number {
    return store === this.store ? amount : this.#fallback.chargeOf(check, amount);
  }

  #outcome(request: StoreRequest, checks: readonly LimitCheck[], response: StoreOutcome['response']): StoreOutcome {
    return { request, checks, response, source: 'store', store: this.store };
  }

  /** Asks once more, with the interval boundaries around the store's own time. */
  #askInInterval(request: StoreRequest, atMs: number): Eventual<StoreResponse> {
    const again = this.#timed({ ...request, checks: withCalendarBounds(this.calendarBounds, request.checks, atMs) });
    return whenReady(this.store.consume(again), (response) => {
      if (!response.outsideCalendarBounds) return response;
      throw calendarBoundsRefused();
    });
  }

  /**
   * Makes a change. If the calendar interval has changed, it tries once more, with the boundaries around the store's
   * own time.
   */
  #adjust(store: Store, change: Change): Eventual<ChangeResponse> {
    return whenReady(store.adjust(this.#timed(change)), (response) => {
      if (response.result !== 'outside-calendar-bounds') return this.#corrected(change, response);
      const again = this.#timed({
        ...change,
        checks: withCalendarBounds(this.calendarBounds, change.checks, response.atMs),
      });
      return whenReady(store.adjust(again), (second) => {
        if (second.result !== 'outside-calendar-bounds') return this.#corrected(change, second);
        throw calendarBoundsRefused();
      });
    });
  }

  /** Returns the same request or change, with the time that this policy waits for its store. */
  #timed<T extends StoreRequest | Change>(asked: T): T {
    return this.timeoutMs === undefined ? asked : { timeoutMs: this.timeoutMs, ...asked };
  }

  #corrected(change: Change, response: ChangeResponse): ChangeResponse {
    if (response.result === 'applied') recordCorrections(this.#recorder, change.checks);
    return response;
  }
}

/** A request whose response is on its way. The promise of the result gets what `next` makes of its outcome. */
class PendingOutcome<D> implements Receiver<StoreResponse> {
  // Declared, and set by the constructor: a field of a class is set twice.
  declare readonly client: StoreClient;
  declare readonly request: StoreRequest;
  declare readonly checks: readonly LimitCheck[];
  declare readonly next: (outcome: StoreOutcome) => D;
  declare readonly settle: (result: Eventual<D>) => void;

  constructor(
    client: StoreClient,
    request: StoreRequest,
    checks: readonly LimitCheck[],
    next: (outcome: StoreOutcome) => D,
    settle: (result: Eventual<D>) => void,
  ) {
    this.client = client;
    this.request = request;
    this.checks = checks;
    this.next = next;
    this.settle = settle;
  }

  resolve(response: StoreResponse): void {
    // As what a store gives at once: without a response, it has failed.
    if (!response) {
      this.reject(new SluiceError('SLUICE_STORE', 'the store gave no response'));
      return;
    }
    const { client, request, checks, next } = this;
    try {
      this.settle(
        response.outsideCalendarBounds
          ? whenReady(client.askAgain(request, checks, response.atMs), next)
          : next({ request, checks, response, source: 'store', store: client.store }),
      );
    } catch (error) {
      this.settle(Promise.reject(error));
    }
  }

  reject(error: unknown): void {
    try {
      this.settle(this.next(this.client.failed(this.request, this.checks, error)));
    } catch (mistake) {
      this.settle(Promise.reject(mistake));
    }
  }
}

function calendarBoundsRefused(): SluiceError {
  return new SluiceError('SLUICE_STORE', 'the store refused calendar boundaries of its own time');
}

/** The outcome of a request without a check that a store counts. */
function uncounted(request: StoreRequest): StoreOutcome {
  return { request, checks: [], response: { verdicts: [], atMs: 0 }, source: 'store', store: undefined };
}

/** Whether a store counts a check. Unlimited tiers are not counted. */
export function isCounted({ limit }: LimitCheck): boolean {
  return limit.algorithm !== 'unlimited';
}

/**
 * Returns the request with a new id. Slots that it took were given back by the old id, which is used up. A request that may be
 * repeated keeps its id, under which parts of the store may already remember their replies.
 */
function askedAnew(request: StoreRequest): StoreRequest {
  return request.id === undefined || request.holdMs !== undefined ? request : { ...request, id: nextOperationId() };
}

/** Returns the checks that a store has to decide. */
export function countedOf(checks: readonly LimitCheck[]): readonly LimitCheck[] {
  for (let i = 0; i < checks.length; i += 1) {
    if (!isCounted(checks[i] as LimitCheck)) return checks.filter(isCounted);
  }
  return checks;
}
