import type { Reservation, ReservationContext } from '@sluice/core/src/limiter/reservation';
import type { Settled } from '@sluice/core/src/limiter/settle';
import type { Answer } from '@sluice/core/src/stores/store';
import { HttpGrantedReservation } from '../request/http-reservation.js';

/** Nothing is charged in this process. */
const ELSEWHERE: ReservationContext = {
  isAsync: true,
  ownsCost: new Map(),
  hold: () => undefined,
  chargeOf: (_store, _check, amount) => amount,
  adjust: () => undefined,
};

/** The reservation of a request that somebody else has decided about. Corrections go there. */
export class LimiterReservation extends HttpGrantedReservation {
  readonly #own: Reservation<boolean>;

  constructor(own: Reservation<boolean>) {
    super(own, ELSEWHERE);
    this.#own = own;
  }

  override settle(actual?: Settled): Answer<void> {
    return this.#own.settle(actual);
  }

  override cancel(): Answer<void> {
    return this.#own.cancel();
  }

  /** Only the owner knows about slots, and such a request has none to keep. */
  override cancelUnits(): Answer<void> {
    return this.#own.cancel();
  }

  override release(): Answer<void> {
    return this.#own.release();
  }
}
