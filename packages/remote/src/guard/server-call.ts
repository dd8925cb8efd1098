import type { StoreResponse, Target } from '@sluice/core/src/stores/store';
import { stopwatchMs } from '@sluice/core/src/values/clock';
import { Deferred } from '@sluice/core/src/values/deferred';
import type { DurationRecorder } from '@sluice/core/src/values/duration-recorder';
import { SluiceError } from '@sluice/core/src/values/error';
import type { LateListener, RequestMark } from './protected-store.js';
import type { PendingCall } from './timeout-queue.js';

/** What a guard notes about its calls. */
export interface CallLog {
  /** Ends the wait for a call that failed. Returns false if the call was given up before. */
  end(call: PendingCall): boolean;
  /**
   * Notes that the server has answered a call, and ends the wait for it. Returns false if the call was given up before.
   *
   * @param atMs - the server's time when it answered; undefined if the answer does not show it
   */
  succeeded<T>(call: ServerCall<T>, atMs: number | undefined): boolean;
  /** Notes the time that the server had when it refused a call. The refusal was read at `observedMs`, by the stopwatch. */
  observedTime(atMs: number, call: PendingCall, observedMs: number): void;
  /** Notes that a caller gets this error, although the server is reachable. */
  refused<T>(call: ServerCall<T>, error: unknown): void;
  /**
   * Notes that the server did not do what it was asked.
   *
   * @param stall - the number of the stall of this process that took the time of the call
   */
  failed<T>(call: ServerCall<T>, error: unknown, stall?: number): void;
  lateError(): SluiceError;
}

/** A call that is on its way to a server, and its result, which is there at the deadline at the latest. */
export abstract class ServerCall<T> extends Deferred<T> implements PendingCall {
  // Declared, and set by the constructor: a field of a class is set twice.
  declare beganMs: number;
  declare untilMs: number;
  declare stalledMs: number;
  declare isOver: boolean;
  declare next: PendingCall | undefined;
  declare passed: (() => void) | undefined;
  /** What the call is about; undefined if it is about nothing. */
  declare readonly target: Target | undefined;
  /** Where its duration is counted; undefined if it is not. */
  declare readonly trips: DurationRecorder | undefined;
  declare protected readonly log: CallLog;
  /** Of a request: gets a response that came after the deadline. */
  declare protected readonly late: LateListener | undefined;
  /** Of a request: what the cache of refusals learns from its response; undefined if it learns nothing. */
  declare protected readonly mark: RequestMark | undefined;

  constructor(
    log: CallLog,
    target: Target | undefined,
    trips: DurationRecorder | undefined,
    late?: LateListener,
    mark?: RequestMark,
  ) {
    super();
    this.beganMs = Number.NaN;
    this.untilMs = Number.NaN;
    this.stalledMs = Number.NaN;
    this.isOver = false;
    this.next = undefined;
    this.passed = undefined;
    this.target = target;
    this.trips = trips;
    this.log = log;
    this.late = late;
    this.mark = mark;
  }

  override reject(error: unknown): void {
    const atMs = error instanceof SluiceError ? error.atMs : undefined;
    if (atMs !== undefined) this.log.observedTime(atMs, this, stopwatchMs());
    if (!this.log.end(this)) return;
    // If a server refuses a request as too late, but in time, it is reachable, and its clock differs from the estimate.
    if (atMs === undefined) this.log.failed(this, error);
    else this.log.refused(this, error);
    super.reject(error);
  }

  timedOut(stall?: number): void {
    const error = this.log.lateError();
    this.log.failed(this, error, stall);
    super.reject(error);
  }
}

/** A change, a removal, or a call about blocks. Its result does not show the server's time. */
export class ServerTask<T> extends ServerCall<T> {
  override resolve(result: T): void {
    if (this.log.succeeded(this, undefined)) super.resolve(result);
  }
}

/** A request. Its response shows the server's time, also if nobody waits for it any more. */
export class ServerRequest extends ServerCall<StoreResponse> {
  override resolve(response: StoreResponse): void {
    let isInTime: boolean;
    try {
      isInTime = this.log.succeeded(this, response.nowMs ?? response.atMs);
    } catch (error) {
      this.reject(error);
      return;
    }
    if (!isInTime) {
      this.late?.(response);
      return;
    }
    this.mark?.cache.learn(this.mark, response);
    super.resolve(response);
  }
}
