// Why it is so: cloudflare/docs/requests-of-a-worker.md

import { lateError, withDeadline } from '@sluice/core/src/stores/deadline';
import type { NetworkStore } from '@sluice/core/src/stores/network-store';
import type {
  Change,
  ChangeResponse,
  LimitCheck,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '@sluice/core/src/stores/store';
import { stopwatchMs, within } from '@sluice/core/src/values/clock';
import type { DurationRecorder } from '@sluice/core/src/values/duration-recorder';
import { isMistake, SluiceError } from '@sluice/core/src/values/error';
import type { Eventual } from '@sluice/core/src/values/eventual';
import { type StoreRecorder, storeRecorder } from '@sluice/core/src/values/store-recorder';
import { FailingServers } from './failing-servers.js';
import { freeLateSlots } from './late-slots.js';
import type { Guard, RequestMark, RequestTerms } from './protected-store.js';
import { ServerClock } from './server-clock.js';

/** A store in a runtime whose timers and calls end with the request that began them. */
type RequestBoundStore = NetworkStore & {
  readonly remote: { readonly requestBound: NonNullable<NonNullable<Store['remote']>['requestBound']> };
};

export function isRequestBound(store: NetworkStore): store is RequestBoundStore {
  return store.remote.requestBound !== undefined;
}

/** One call of a store. */
interface GuardedCall<T> {
  readonly target: Target | undefined;
  /** How long its caller waits. */
  readonly leftMs: number;
  /** Where its duration is counted; undefined if it is not. */
  readonly trips: DurationRecorder | undefined;
  readonly send: () => Eventual<T>;
  /** Gets the result, whenever it comes. */
  readonly observed?: (result: T, isLate: boolean) => void;
}

/**
 * Guards the servers of a store where a timer, and a call, end with the request of the application that began them, as in a Worker. So each call
 * has a timer of its own, and no call waits for one that another request has made. A server that failed several times in a row is tried by a call
 * of a caller, since no timer could probe it.
 *
 * The server's time is taken to be that of the store's clock until an answer has shown it.
 */
export class RequestBoundGuard implements Guard {
  readonly #store: RequestBoundStore;
  readonly #timeoutMs: number;
  readonly #time: ServerClock;
  readonly #failing = new FailingServers();
  readonly #recorder: StoreRecorder;

  constructor(store: RequestBoundStore, timeoutMs: number) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
    this.#time = new ServerClock(store.clock, timeoutMs);
    this.#recorder = storeRecorder(store.name ?? 'store');
    this.#recorder.addBreaker(this.#failing);
  }

  ask(request: StoreRequest, terms?: RequestTerms, mark?: RequestMark): Promise<StoreResponse> {
    const askedMs = stopwatchMs();
    const leftMs = Math.min(this.#timeoutMs, (terms?.budget?.untilMs ?? Number.POSITIVE_INFINITY) - askedMs);
    // The server is not to blame.
    if (leftMs <= 0) return Promise.reject(lateError(this.#store.remote));
    const storeMs = this.#time.now() ?? this.#store.clock.now();
    return this.#call({
      target: request.checks[0],
      leftMs,
      trips: this.#recorder.operations.consume,
      send: () => this.#store.consume(withDeadline(request, Math.floor(storeMs + leftMs))),
      observed: (response, isLate) => {
        this.#time.observed(response.nowMs ?? response.atMs, askedMs);
        if (!isLate) mark?.cache.learn(mark, response);
        else if (terms?.late) terms.late(response);
        else void freeLateSlots(this.#store, request, response);
      },
    });
  }

  adjust(change: Change): Promise<ChangeResponse> {
    return this.#change(change.checks[0], this.#recorder.operations.adjust, () => this.#store.adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#change(targets[0], this.#recorder.operations.reset, () => this.#store.reset(targets));
  }

  run<T>(call: () => Promise<T>, target: Target | undefined): Promise<T> {
    return this.#change(target, undefined, call);
  }

  unavailable(checks: readonly LimitCheck[]): Error | undefined {
    for (const check of checks) {
      const error = check.shadow ? undefined : this.#failing.unavailable(this.#serverOf(check));
      if (error) return error;
    }
    return undefined;
  }

  /** Waits for nothing: calls of a request that was ended early never settle, and whoever kept them would keep them forever. */
  async ended(): Promise<void> {}

  stop(): void {
    this.#failing.stop();
  }

  #change<T>(target: Target | undefined, trips: DurationRecorder | undefined, send: () => Promise<T>): Promise<T> {
    return this.#call({ target, leftMs: this.#timeoutMs, trips, send });
  }

  async #call<T>({ target, leftMs, trips, send, observed }: GuardedCall<T>): Promise<T> {
    const server = this.#serverOf(target);
    const unavailable = this.#failing.unavailable(server);
    if (unavailable) throw this.#counted(unavailable);
    this.#failing.asked(server);
    const beganMs = stopwatchMs();
    let isLate = false;
    const answered = async (): Promise<T> => {
      const result = await send();
      observed?.(result, isLate);
      return result;
    };
    try {
      const result = await within(leftMs, answered(), () => {
        isLate = true;
        return lateError(this.#store.remote);
      });
      this.#failing.succeeded(server);
      trips?.add(stopwatchMs() - beganMs);
      return result;
    } catch (error) {
      if (isMistake(error)) throw error;
      this.#noteFailure(server, error, beganMs);
      trips?.add(stopwatchMs() - beganMs);
      throw this.#counted(error);
    }
  }

  /** A server that refuses a call as too late, but in time, can be reached: its clock differs from the estimate. */
  #noteFailure(server: string, error: unknown, beganMs: number): void {
    const atMs = error instanceof SluiceError ? error.atMs : undefined;
    if (atMs === undefined) this.#failing.failed(server, error);
    else this.#time.observed(atMs, beganMs);
  }

  #counted<E>(error: E): E {
    this.#recorder.failed(error);
    return error;
  }

  #serverOf(target: Target | undefined): string {
    return target ? this.#store.remote.requestBound.serverOf(target) : '';
  }
}
