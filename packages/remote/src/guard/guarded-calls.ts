import { stopwatchMs } from '@sluice/core/src/values/clock';
import { isMistake, SluiceError } from '@sluice/core/src/values/error';
import { randomFraction } from '@sluice/core/src/values/random';
import { type StoreRecorder, storeRecorder } from '@sluice/core/src/values/store-recorder';
import { Breaker } from './breaker.js';
import { type PendingCall, TimeoutQueue } from './timeout-queue.js';

/** A call that was sent. */
export interface SentCall<T> {
  /** The answer, when it comes. */
  readonly answer: Promise<T>;
  /** Called if nobody waits for the answer any more. */
  abandon(): void;
}

/** What is called. */
export interface CalledService {
  /** The name in `storeMetrics()`. */
  readonly name: string;
  /** The longest time of a call. */
  readonly timeoutMs: number;
  /** Calls the service for no caller, and rejects if it does not work. */
  probe(): SentCall<unknown>;
}

/**
 * Guards the calls of a service that decides about limits and is no store: as for a remote store, each call has a deadline, all
 * calls share one timer, and a service that failed several times in a row is only probed until it works again. The calls are
 * counted in `storeMetrics()`.
 */
export class GuardedCalls {
  readonly #service: CalledService;
  readonly #timeouts: TimeoutQueue;
  readonly #breaker: Breaker;
  readonly #recorder: StoreRecorder;

  constructor(service: CalledService) {
    this.#service = service;
    this.#timeouts = new TimeoutQueue(service.timeoutMs);
    this.#breaker = new Breaker({ probe: () => this.#waitFor(service.probe()), spread: randomFraction });
    this.#recorder = storeRecorder(service.name);
    this.#recorder.addBreaker(this.#breaker);
  }

  /** Returns the error of a call while the service is only probed, and counts it. */
  unavailable(): SluiceError | undefined {
    if (!this.#breaker.isOpen) return undefined;
    return this.#counted(this.#breaker.unavailableError(this.#service.name));
  }

  /**
   * Sends a call, and resolves with its answer.
   *
   * @param group - a negative number, which calls have in common that are sent together. If several of them fail, the service was slow once:
   * that is one failure, and not several in a row.
   * @throws SluiceError `SLUICE_STORE` if there is no answer in time; what the call rejects with
   */
  run<T>(operation: keyof StoreRecorder['operations'], send: () => SentCall<T>, group?: number): Promise<T> {
    const beganMs = stopwatchMs();
    const end = (): void => this.#recorder.operations[operation].add(stopwatchMs() - beganMs);
    return this.#waitFor(send(), (error, stall) => this.#breaker.failed(error, { stall, group })).then(
      (answer) => {
        this.#breaker.succeeded();
        end();
        return answer;
      },
      (error) => {
        if (isMistake(error)) throw error;
        end();
        throw this.#counted(error);
      },
    );
  }

  /** Resolves when the calls that run now have ended. */
  ended(): Promise<void> {
    return this.#timeouts.ended();
  }

  /** Ends the probes of the breaker. */
  stop(): void {
    this.#breaker.stop();
  }

  #counted<E>(error: E): E {
    this.#recorder.failed(error);
    return error;
  }

  #waitFor<T>(call: SentCall<T>, failed: (error: unknown, stall?: number) => void = () => {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const lose = (error: unknown, stall?: number): void => {
        failed(error, stall);
        reject(error);
      };
      const waiting: PendingCall = this.#timeouts.begin((stall) => {
        call.abandon();
        lose(this.#late(), stall);
      });
      call.answer.then(
        (answer) => {
          if (this.#timeouts.end(waiting)) resolve(answer);
        },
        (error) => {
          if (this.#timeouts.end(waiting)) lose(error);
        },
      );
    });
  }

  #late(): SluiceError {
    const { name, timeoutMs } = this.#service;
    const message = `${name} did not answer within ${timeoutMs} ms`;
    return new SluiceError('SLUICE_STORE', message, { storeFailure: 'timeout' });
  }
}
