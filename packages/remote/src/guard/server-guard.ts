// Why it is so: core/docs/why/remote-stores.md

import { lateError, withDeadline } from '@sluice/core/src/stores/deadline';
import { type NetworkStore, spreadOf } from '@sluice/core/src/stores/network-store';
import type { Change, StoreRequest, StoreResponse, Target } from '@sluice/core/src/stores/store';
import { stopwatchMs, within } from '@sluice/core/src/values/clock';
import { Deferred, passOn, promiseOf } from '@sluice/core/src/values/deferred';
import type { DurationRecorder } from '@sluice/core/src/values/duration-recorder';
import { isMistake, type SluiceError } from '@sluice/core/src/values/error';
import { type StoreRecorder, storeRecorder } from '@sluice/core/src/values/store-recorder';
import { Breaker } from './breaker.js';
import { freeLateSlots } from './late-slots.js';
import { keyOfProbe, probeOf } from './probe.js';
import type { Guard, RequestMark, RequestTerms } from './protected-store.js';
import { type CallLog, type ServerCall, ServerRequest, ServerTask } from './server-call.js';
import { ServerClock } from './server-clock.js';
import { EARLY_MS, type PendingCall, TimeoutQueue } from './timeout-queue.js';

/** The server of a guard. */
interface Guarded {
  readonly store: NetworkStore;
  /** Of all callers that wait for the store. */
  readonly timeouts: TimeoutQueue;
  /** The server's name in events; undefined if the store has only one. */
  readonly node: string | undefined;
  /**
   * Finds a key to probe the server with. Undefined if no key lives there any more: then no request is sent there, either.
   */
  readonly probedKey: (lastFailed: Target | undefined) => Target | undefined;
}

/**
 * Guards one server: the only one of a store, or one of several. It ends each call at the store's deadline, and sends
 * no calls to an unreachable server until a probe succeeds. It estimates the server's time, so that a request can carry
 * the time after which nothing may be spent.
 */
export class ServerGuard implements Guard, CallLog {
  readonly #store: NetworkStore;
  readonly #timeoutMs: number;
  readonly #timeouts: TimeoutQueue;
  readonly #probedKey: Guarded['probedKey'];
  readonly #time: ServerClock;
  readonly #breaker: Breaker;
  readonly #recorder: StoreRecorder;
  #timeQuery: Promise<void> | undefined;
  #lastFailed: Target | undefined;

  constructor({ store, timeouts, node, probedKey }: Guarded) {
    this.#store = store;
    this.#timeoutMs = timeouts.afterMs;
    this.#timeouts = timeouts;
    this.#probedKey = probedKey;
    this.#time = new ServerClock(store.clock, this.#timeoutMs);
    this.#breaker = new Breaker({ probe: () => this.#probe(), node, spread: spreadOf(store.remote) });
    this.#recorder = storeRecorder(store.name ?? 'store');
    this.#recorder.addBreaker(this.#breaker);
  }

  /** Makes the guard of a store with a single server, for callers that wait this long. */
  static only(store: NetworkStore, timeoutMs: number, name?: string): ServerGuard {
    const timeouts = new TimeoutQueue(timeoutMs);
    let probes = 0;
    const probedKey = (): Target => {
      probes += 1;
      return keyOfProbe(probes);
    };
    const guard = new ServerGuard({ store, timeouts, node: name, probedKey });
    store.remote.onServerTime?.((atMs, askedMs) => guard.#observedUnasked(atMs, askedMs));
    return guard;
  }

  /** Returns the error of a request while the breaker is open, and counts it. */
  unavailable(): SluiceError | undefined {
    return this.#breaker.isOpen ? this.#unavailableError() : undefined;
  }

  /** Returns the error of a call while the breaker is open, and counts it. */
  #unavailableError(): SluiceError {
    const error = this.#breaker.unavailableError('the store');
    this.#recorder.failed(error);
    return error;
  }

  /**
   * Whether it knows nothing that a new guard would not know: the server's time is unknown, and no call has failed lately.
   */
  get isForgettable(): boolean {
    return !this.#breaker.isFailing && !this.#timeQuery && this.#time.now() === undefined;
  }

  /** If the caller has no time left, the server is not to blame. */
  ask(request: StoreRequest, terms?: RequestTerms, mark?: RequestMark): PromiseLike<StoreResponse> {
    const untilMs = terms?.budget?.untilMs;
    if (untilMs !== undefined && untilMs <= stopwatchMs()) return rejected(this.lateError());
    if (this.#breaker.isOpen) return rejected(this.#unavailableError());
    const late = terms?.late ?? (request.id === undefined ? undefined : this.#freeing(request));
    const call = new ServerRequest(this, request.checks[0], this.#recorder.operations.consume, late, mark);
    this.#timeouts.add(call);
    const storeMs = this.#time.now(mark?.askedMs);
    if (storeMs === undefined) {
      this.#askAfterTimeQuery(request, untilMs === undefined ? call.untilMs : Math.min(call.untilMs, untilMs), call);
    } else {
      const leftMs = this.#timeoutMs - EARLY_MS;
      this.#send(request, storeMs, untilMs === undefined ? leftMs : Math.min(leftMs, untilMs - stopwatchMs()), call);
    }
    return call;
  }

  adjust(change: Change): ReturnType<NetworkStore['adjust']> {
    return this.#guarded(() => this.#store.adjust(change), change.checks[0], this.#recorder.operations.adjust);
  }

  reset(targets: readonly Target[]): ReturnType<NetworkStore['reset']> {
    return this.#guarded(() => this.#store.reset(targets), targets[0], this.#recorder.operations.reset);
  }

  run<T>(call: () => Promise<T>, target: Target | undefined): Promise<T> {
    return this.#guarded(call, target, undefined);
  }

  end(call: PendingCall): boolean {
    return this.#timeouts.end(call);
  }

  succeeded<T>(call: ServerCall<T>, atMs: number | undefined): boolean {
    const observedMs = stopwatchMs();
    if (atMs !== undefined) this.#time.observed(atMs, call.untilMs - this.#timeoutMs, observedMs);
    if (!this.#timeouts.end(call)) return false;
    this.#breaker.succeeded();
    call.trips?.add(observedMs - call.beganMs);
    return true;
  }

  observedTime(atMs: number, { untilMs }: PendingCall, observedMs: number): void {
    this.#time.observed(atMs, untilMs - this.#timeoutMs, observedMs);
  }

  /** A mistake of the program is no failure of the store, and may not have reached it. */
  refused<T>({ trips, beganMs }: ServerCall<T>, error: unknown): void {
    if (isMistake(error)) return;
    this.#recorder.failed(error);
    trips?.add(stopwatchMs() - beganMs);
  }

  failed<T>(call: ServerCall<T>, error: unknown, stall?: number): void {
    this.#lastFailed = call.target;
    this.#breaker.failed(error, { stall });
    this.refused(call, error);
  }

  lateError(): SluiceError {
    return lateError(this.#store.remote);
  }

  ended(): Promise<void> {
    return this.#timeouts.ended();
  }

  stop(): void {
    this.#breaker.stop();
  }

  /** Asks with a deadline in the server's time: after it, the caller may have decided without the response. */
  #send(request: StoreRequest, storeMs: number, leftMs: number, call: ServerRequest): void {
    try {
      passOn(this.#store.consume(withDeadline(request, Math.max(0, Math.floor(storeMs + leftMs)))), call);
    } catch (error) {
      call.reject(error);
    }
  }

  /** Asks as soon as the server's time is known. */
  async #askAfterTimeQuery(request: StoreRequest, untilMs: number, call: ServerRequest): Promise<void> {
    try {
      await this.#queryTime(request);
    } catch (error) {
      call.reject(error);
      return;
    }
    const leftMs = untilMs - stopwatchMs();
    const storeMs = this.#time.now();
    if (leftMs <= 0 || storeMs === undefined) call.reject(this.lateError());
    else this.#send(request, storeMs, leftMs, call);
  }

  /**
   * Takes a time that no request needed. If it came late, the estimate would be behind by nearly as much, so that the server would
   * refuse the next request as too late. Then that request finds out the time, within its deadline.
   */
  #observedUnasked(atMs: number, askedMs: number): void {
    const observedMs = stopwatchMs();
    if (observedMs - askedMs <= this.#timeoutMs / 2) this.#time.observed(atMs, askedMs, observedMs);
  }

  #freeing(request: StoreRequest): (late: StoreResponse) => void {
    return (late) => void freeLateSlots(this.#store, request, late);
  }

  /** Finds out whether the server replies, and its time. All callers meanwhile share one call. */
  #queryTime({ checks: [first] }: StoreRequest): Promise<void> {
    // If there are several servers, a request without keys could be answered by any.
    const checks = this.#store.remote.placement && first ? [probeOf(first)] : [];
    this.#timeQuery ??= this.#observeTime({ checks, peek: true, timeoutMs: this.#timeoutMs }).finally(() => {
      this.#timeQuery = undefined;
    });
    return this.#timeQuery;
  }

  /**
   * Spends from a limit with an empty name, which no policy has. A server that replies but accepts no writes, because
   * it is full or a replica, has not recovered. While the store connects, it is not asked: it would send all probes of an outage at once.
   */
  async #probe(): Promise<void> {
    if (this.#store.remote.isConnecting?.()) throw this.lateError();
    const key = this.#probedKey(this.#lastFailed);
    if (key) await this.#observeTime({ checks: [probeOf(key)] });
  }

  #observeTime(request: StoreRequest): Promise<void> {
    const askedMs = stopwatchMs();
    const observe = async (): Promise<void> => {
      const { atMs, nowMs = atMs } = await this.#store.consume(request);
      this.#time.observed(nowMs, askedMs);
    };
    return within(this.#timeoutMs, observe(), () => this.lateError());
  }

  #guarded<T>(call: () => Promise<T>, target: Target | undefined, trips: DurationRecorder | undefined): Promise<T> {
    const unavailable = this.unavailable();
    if (unavailable) return Promise.reject(unavailable);
    const task = new ServerTask<T>(this, target, trips);
    this.#timeouts.add(task);
    try {
      passOn(call(), task);
    } catch (error) {
      task.reject(error);
    }
    return promiseOf((receiver) => passOn(task, receiver));
  }
}

function rejected(error: SluiceError): PromiseLike<never> {
  const result = new Deferred<never>();
  result.reject(error);
  return result;
}
