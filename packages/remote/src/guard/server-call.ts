import type { StoreResponse, Target } from '@sluice/core/src/stores/store';
import { stopwatchMs } from '@sluice/core/src/values/clock';
import type { Receiver } from '@sluice/core/src/values/deferred';
import type { DurationRecorder } from '@sluice/core/src/values/duration-recorder';
import { SluiceError } from '@sluice/core/src/values/error';
import type { Hearer } from './protected-store.js';
import { PendingCall } from './timeout-queue.js';

/** What a guard notes about its calls. */
export interface CallLog {
  /** Ends the wait for a call that failed. Returns false if the call was given up before. */
  end(call: PendingCall): boolean;
  /** Notes the time that the server had when it replied. The response was read at `observedMs`, by the stopwatch. */
  observedTime(atMs: number, call: PendingCall, observedMs: number): void;
  /** Ends the wait for a call that has its response. Returns false if the call was given up before. */
  succeeded<T>(call: ServerCall<T>, observedMs: number): boolean;
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

/** A call that is on its way to a server. Its receiver gets the result, at the latest at the deadline. */
export class ServerCall<T> extends PendingCall implements Receiver<T> {
  /** What the call is about; undefined if it is about nothing. */
  readonly target: Target | undefined;
  /** Where its duration is counted; undefined if it is not. */
  readonly trips: DurationRecorder | undefined;
  protected readonly log: CallLog;
  /** Gets a response that came after the deadline. */
  protected readonly late: Hearer | undefined;
  readonly #receiver: Receiver<T>;

  constructor(
    log: CallLog,
    target: Target | undefined,
    trips: DurationRecorder | undefined,
    receiver: Receiver<T>,
    late?: Hearer,
  ) {
    super();
    this.log = log;
    this.target = target;
    this.trips = trips;
    this.late = late;
    this.#receiver = receiver;
  }

  resolve(answer: T, observedMs = stopwatchMs()): void {
    if (this.log.succeeded(this, observedMs)) this.#receiver.resolve(answer);
  }

  reject(error: unknown): void {
    const atMs = error instanceof SluiceError ? error.atMs : undefined;
    if (atMs !== undefined) this.log.observedTime(atMs, this, stopwatchMs());
    if (!this.log.end(this)) return;
    // If a server refuses a request as too late, but in time, it is reachable, and its clock differs from the estimate.
    if (atMs === undefined) this.log.failed(this, error);
    else this.log.refused(this, error);
    this.#receiver.reject(error);
  }

  timedOut(stall?: number): void {
    const error = this.log.lateError();
    this.log.failed(this, error, stall);
    this.#receiver.reject(error);
  }
}

/** A request that is on its way. Its response shows the server's time, also if nobody waits for it any more. */
export class ServerRequest extends ServerCall<StoreResponse> {
  override resolve(response: StoreResponse): void {
    const observedMs = stopwatchMs();
    try {
      this.log.observedTime(response.nowMs ?? response.atMs, this, observedMs);
    } catch (error) {
      this.reject(error);
      return;
    }
    if (this.isOver) this.late?.(response);
    else super.resolve(response, observedMs);
  }
}
