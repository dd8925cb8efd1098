// Why it is so: core/docs/why/waiting.md

import type { MayWait } from '@sluice/core/src/limiter/line/flow';
import { linesOf } from '@sluice/core/src/limiter/line/line-of';
import type { WaitingLine } from '@sluice/core/src/limiter/line/waiting-line';
import type { ReplaceableEngine } from '@sluice/core/src/limiter/replaceable-engine';
import { type Eventual, recover, whenReady } from '@sluice/core/src/values/eventual';
import type { HttpGrantedReservation } from '../request/http-reservation.js';
import type { RequestPolicies } from '../request/request-policies.js';
import type { DelayedRequests } from './delayed-requests.js';

type Args = readonly unknown[];

/** Tells when the client of a request leaves. */
interface EndingHost<A extends Args> {
  onEnd?(notify: () => unknown, ...args: A): () => void;
}

/** Why a wait ends if the client leaves. */
const CLIENT_LEFT = Symbol('the client left');

/** Lets requests that a policy refuses wait for their turn, up to `maxWaitMs`. */
export class RequestLine<A extends Args> {
  readonly #lineOf: () => WaitingLine<A, HttpGrantedReservation>;
  readonly #maxWaitMs: number;
  readonly #delayed: DelayedRequests;
  readonly #host: EndingHost<A>;

  constructor(
    engine: ReplaceableEngine<A, HttpGrantedReservation>,
    maxWaitMs: number,
    delayed: DelayedRequests,
    host: EndingHost<A>,
  ) {
    this.#lineOf = linesOf(engine, { order: 'fair', sleepsDelays: false, waitsForStore: false });
    this.#maxWaitMs = maxWaitMs;
    this.#delayed = delayed;
    this.#host = host;
  }

  /**
   * Reserves, and passes the reservation on: at once if the request is admitted, or if it must not wait. `hasRoom` is
   * false if it is refused because too many others wait, or because it has given way to one of them.
   *
   * @param enter - returns the policies of the request; only called if the policy counts it
   * @param abandon - called in place of `next` if the client has left
   */
  reserve<T>(
    args: A,
    enter: () => RequestPolicies,
    next: (reservation: HttpGrantedReservation | undefined, hasRoom: boolean) => Eventual<T>,
    abandon: () => Eventual<T>,
  ): Eventual<T> {
    const line = this.#lineOf();
    let hasRoom = true;
    let end: (() => void) | undefined;
    const mayWait: MayWait<A, HttpGrantedReservation> = (_waitMs, _flow, waiter) => {
      const leave = this.#delayed.add({
        delayMs: this.#maxWaitMs,
        keys: waiter.checks.map(({ key }) => key),
        giveWay: () => {
          hasRoom = false;
          line.giveWay(waiter);
        },
      });
      hasRoom = leave !== undefined;
      if (!leave) return false;
      const gone = new AbortController();
      const stop = this.#host.onEnd?.(() => gone.abort(CLIENT_LEFT), ...args);
      enter().isWaiting = true;
      end = () => {
        leave();
        stop?.();
      };
      return gone.signal;
    };
    const reserved = (reservation: HttpGrantedReservation | undefined): Eventual<T> => {
      if (end) {
        enter().isWaiting = false;
        // Its place is free for itself, if it also has to wait for its turn.
        end();
      }
      return next(reservation, hasRoom || reservation?.allowed === true);
    };
    const failed = (error: unknown): Eventual<T> => {
      end?.();
      if (error !== CLIENT_LEFT) throw error;
      return abandon();
    };
    return recover(() => whenReady(line.enter({ args, maxWaitMs: this.#maxWaitMs, mayWait }), reserved), failed);
  }
}
