// Why it is so: core/docs/why/stores-in-front.md

import { concerns } from '@sluice/core/src/stores/check-set-map';
import type { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import type { Change, Consumed, StoreRequest, StoreResponse, Target } from '@sluice/core/src/stores/store';
import { publishStoreError } from '@sluice/core/src/stores/store-failure';
import { isMistake } from '@sluice/core/src/values/error';
import { isPromise, whenReady } from '@sluice/core/src/values/eventual';
import { nextOperationId } from '@sluice/core/src/values/operation-id';
import { FRESH, type LateListener, type ProtectedStore, type RequestTerms } from '@sluice/remote/guard/protected-store';
import { RunningPromises } from '@sluice/remote/guard/running-promises';
import { asAsked } from '../in-front/derived-response.js';
import { leaseEndMs } from '../in-front/lease-rule.js';
import type { AcquireResult, LeaseState } from './lease-state.js';
import { Refusal } from './refusal.js';
import { Slice } from './slice.js';
import type { Stricter } from './stricter.js';

/** How long a response can still arrive after it was given up. */
const LATEST_MS = 5000;

/** For how long units that could not be given back are tried again. */
const RETRY_FOR_MS = 60_000;

/** The most changes that wait to be tried again. The units of further ones expire. */
const MOST_PENDING_RETURNS = 10_000;

/** Takes slices from a store, with stricter limits, and gives them back. */
export class SliceSource {
  readonly #store: ProtectedStore;
  readonly #leaseMs: () => number;
  /** How many instances share the units. */
  readonly instances: number;
  readonly #stricter: Stricter;
  /** Units that could not be given back yet, and until when to try again. */
  readonly #pendingReturns = new Map<Change, number>();
  readonly #onPendingReturn: () => void;
  readonly #returns = new RunningPromises();
  #isRetrying = false;
  #resets = 0;

  /**
   * @param leaseMs - returns the length of the next lease
   * @param onPendingReturn - called when `retryReturns` has something to give back
   */
  constructor(store: ProtectedStore, leaseMs: () => number, stricter: Stricter, onPendingReturn: () => void) {
    this.#store = store;
    this.#onPendingReturn = onPendingReturn;
    this.#leaseMs = leaseMs;
    this.instances = store.remote?.instances ?? 1;
    this.#stricter = stricter;
  }

  /** Asks about one request alone, as the plain store does. The unit of an answer that comes too late is kept as a slice. */
  ask(lease: LeaseState, request: StoreRequest): Consumed<true> {
    const { restarts } = lease;
    const askedMs = this.#store.clock.now();
    const asked = { ...request, checks: this.#stricter.checks(request.checks) };
    const late = this.#keeperOf(lease, request, askedMs);
    return whenReady(this.#consume(lease, asked, { late }), (response) => {
      if (lease.restarts === restarts && !response.outsideCalendarBounds) lease.observed(response);
      return asAsked(request, response);
    }) as Consumed<true>;
  }

  /**
   * Takes a slice for all waiting callers. The first caller asks for `cost`, and gets its units if its time is not
   * over.
   */
  async take(lease: LeaseState, request: StoreRequest, cost: number, budget: DeadlineBudget): Promise<AcquireResult> {
    const { clock } = this.#store;
    // Waits a moment, so that all callers of this turn are included.
    await undefined;
    const ended = lease.end(clock.now());
    if (ended) this.giveBack(ended);
    const { checks } = request;
    lease.checks = checks;
    const size = this.#sizeOf(lease, request, cost);
    const { restarts } = lease;
    const askedMs = clock.now();
    const late = this.#keeperOf(lease, request, askedMs);
    // The units of one caller alone are asked for as the plain store asks, which is cheaper.
    const asked = {
      ...request,
      checks: this.#stricter.checks(checks, size),
      ...(size > cost && { atLeast: cost }),
    };
    const response = await this.#consume(lease, asked, { isFresh: true, late });
    if (!response.allowed) {
      lease.refused();
      const isExact = size === cost || response.outsideCalendarBounds === true;
      return { refusal: new Refusal(cost, response, isExact ? async () => response : () => this.#peek(request)) };
    }
    const slice = this.#sliceOf(request, response, askedMs);
    const answer = budget.isOver ? undefined : slice.spend(checks, cost, askedMs);
    this.#keep(lease, slice, restarts);
    return { answer, refusal: new Refusal(slice.remainingThere + 1, response, () => this.#peek(request)) };
  }

  #sliceOf(request: StoreRequest, response: StoreResponse, askedMs: number): Slice {
    return new Slice(request, response, askedMs, leaseEndMs(request.checks, response, askedMs, this.#leaseMs()));
  }

  /** Returns a function that keeps the slice of a response that comes after the store was given up. */
  #keeperOf(lease: LeaseState, request: StoreRequest, askedMs: number): LateListener {
    const { restarts } = lease;
    return (response) => this.#keep(lease, this.#sliceOf(request, response, askedMs), restarts);
  }

  /** Keeps a slice. If its key was blocked or reset since it was asked for, it is given back, except to states that were reset. */
  #keep(lease: LeaseState, slice: Slice, restartsThen: number): void {
    if (lease.restarts !== restartsThen) {
      this.giveBack(slice, lease.notResetSince(restartsThen, slice.checks));
      return;
    }
    const spare = lease.receive(slice, this.#store.clock.now());
    if (spare) this.giveBack(spare);
  }

  /** Asks the store. If a response arrives after it was given up, and took units, `late` is called with it. */
  #consume(
    lease: LeaseState,
    request: StoreRequest,
    { isFresh, late }: Pick<RequestTerms, 'isFresh'> & { readonly late: LateListener },
  ): Consumed<true> {
    const { clock, remote } = this.#store;
    const response = this.#store.consume(request, {
      ...(isFresh && { isFresh }),
      late: (response) => {
        if (response.allowed && clock.now() < lease.lateUntilMs) late(response);
      },
    });
    if (!isPromise(response)) return response;
    return response.then(undefined, (error) => {
      if (remote) lease.lateUntilMs = clock.now() + LATEST_MS;
      throw error;
    });
  }

  /** Gives back the rest of a slice. If that fails, `retryReturns` tries again. */
  giveBack(slice: Slice, checks = slice.checks): Promise<void> {
    return this.#returns.add(this.#giveBack(slice, checks));
  }

  async #giveBack(slice: Slice, checks: Slice['checks']): Promise<void> {
    const { left, atMs, requestTimeout } = slice;
    if (left === 0) return;
    const nowMs = this.#store.clock.now();
    const notAfterMs = atMs + slice.ageMs(nowMs) + RETRY_FOR_MS + LATEST_MS;
    const changes = this.#stricter.checks(checks, -left).map((check) => ({
      checks: [check],
      atMs,
      id: nextOperationId(),
      unspent: true as const,
      notAfterMs,
      ...requestTimeout,
    }));
    await Promise.all(changes.map((change) => this.#return(change, nowMs + RETRY_FOR_MS)));
  }

  /** Whether units are still to be given back. */
  get hasPendingReturns(): boolean {
    return this.#pendingReturns.size > 0;
  }

  /**
   * Tries again to give units back. If an earlier attempt succeeded and only its response was lost, the units are not
   * given back twice.
   */
  retryReturns(): Promise<void> {
    return this.#returns.add(this.#retryPendingReturns());
  }

  async #retryPendingReturns(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    const nowMs = this.#store.clock.now();
    for (const [change, untilMs] of this.#pendingReturns) if (nowMs >= untilMs) this.#pendingReturns.delete(change);
    const [first, ...others] = this.#pendingReturns;
    // While the store is unreachable, one attempt is enough to notice it.
    if (first && (await this.#return(...first))) await Promise.all(others.map((pending) => this.#return(...pending)));
    this.#isRetrying = false;
  }

  /** Resolves when everything was given back, or cannot be given back now. */
  returned(): Promise<void> {
    return this.#returns.ended();
  }

  /** Called before a reset. Units that were charged before it are not given back to the new state. */
  forget(targets: readonly Target[]): void {
    this.#resets += 1;
    for (const change of this.#pendingReturns.keys())
      if (concerns(targets, change.checks)) this.#pendingReturns.delete(change);
  }

  /** Returns false if the attempt has to be repeated. */
  async #return(change: Change, untilMs: number): Promise<boolean> {
    const resets = this.#resets;
    try {
      await this.#store.adjust(change);
      this.#pendingReturns.delete(change);
      return true;
    } catch (error) {
      if (isMistake(error)) {
        this.#pendingReturns.delete(change);
        return true;
      }
      if (this.#pendingReturns.has(change)) return false;
      publishStoreError(change.checks, error);
      if (this.#resets === resets && this.#pendingReturns.size < MOST_PENDING_RETURNS)
        this.#pendingReturns.set(change, untilMs);
      this.#onPendingReturn();
      return false;
    }
  }

  /** Not more than the quota: the response also says when that many units fit again. */
  #sizeOf(lease: LeaseState, { checks }: StoreRequest, cost: number): number {
    const most = Math.min(...this.#stricter.checks(checks).map(({ limit }) => limit.quota));
    return Math.max(cost, Math.min(most, lease.nextSize(this.instances)));
  }

  /** Asks the store about this request alone. */
  async #peek(request: StoreRequest): Promise<StoreResponse> {
    return this.#store.consume({ ...request, checks: this.#stricter.checks(request.checks), peek: true }, FRESH);
  }
}
