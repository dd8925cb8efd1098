import { GrantedReservation, type Reservation } from '@sluice/core/src/limiter/reservation';
import { optionError } from '@sluice/core/src/values/error';
import { checkOneOf, checkOptions } from '@sluice/core/src/values/option-checks';
import type { Work } from './work.js';

/** The reservation of a request. Handlers find it as `req.rateLimit`. */
export interface HttpReservation extends Reservation {
  /**
   * Takes over the settlement from the adapter. Call it before the response ends if the cost is known only afterwards.
   * The end of the response then frees the slots, but neither `skipFailedRequests` nor `skipSuccessfulRequests` gives
   * units back. Call `settle(actual)` or `cancel()` later. If you never do, the charge stays. Like `settle`, it
   * concerns this policy only.
   *
   * @example
   * req.rateLimit?.deferSettle();
   * meter.once('usage', (tokens) => req.rateLimit?.settle(tokens));
   */
  deferSettle(options?: {
    /**
     * Whether the slots stay, too, until you call `settle`, `cancel` or `release`: for work that goes on elsewhere after the response. Make
     * sure that one of them is called: as long as this process lives, nothing else frees them. Default: false.
     */
    readonly slots?: boolean;
  }): void;
  /**
   * Keeps the slots of the request, in all policies that it has passed, until a promise is settled. Without it, a slot
   * is freed when the response has ended or the client has left, or when the handler ends if the framework reports
   * that. After the response, a slot is kept for at most one `lease`. If `work` rejects, the slot is also freed; you
   * have to handle the error.
   *
   * @throws SluiceError `SLUICE_OPTION` if `work` is no promise
   * @example
   * const work = exportRows();
   * req.rateLimit?.releaseAfter(work);
   * res.send(await work);
   */
  releaseAfter(work: PromiseLike<unknown>): void;
}

/** Under a symbol, a request is not written as JSON with its reservation. */
export const POLICIES_OF_REQUEST = Symbol('sluice.policiesOfRequest');

/** The reservations that handlers settle, and whether they free the slots, too. */
const deferred = new WeakMap<HttpGrantedReservation, { readonly slots: boolean }>();

/** Made by the engine of an adapter's policy. */
export class HttpGrantedReservation extends GrantedReservation implements Omit<HttpReservation, keyof Reservation> {
  /** The policies that the request has passed. Absent for reservations of a policy's handle. */
  declare [POLICIES_OF_REQUEST]?: { readonly work: Work };

  /** Whether the handler has taken over the settlement. */
  get isDeferred(): boolean {
    return deferred.has(this);
  }

  /** Whether the handler has taken over the slots, too. */
  get keepsSlots(): boolean {
    return deferred.get(this)?.slots === true;
  }

  deferSettle(options: Parameters<HttpReservation['deferSettle']>[0] = {}): void {
    checkOptions(options, ['slots']);
    deferred.set(this, { slots: checkOneOf(options.slots ?? false, 'slots', [true, false]) });
  }

  releaseAfter(work: PromiseLike<unknown>): void {
    if (typeof work?.then !== 'function') {
      throw optionError('releaseAfter', 'must be a promise of the work of the request', work);
    }
    const end = this[POLICIES_OF_REQUEST]?.work.begin();
    if (end) work.then(end, end);
  }
}
