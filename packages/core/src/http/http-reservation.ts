import { GrantedReservation, type Reservation } from '../limiter/reservation.js';
import { optionError } from '../values/error.js';
import type { Work } from './work.js';

/** The reservation of a request: what handlers find as `req.rateLimit`. */
export interface HttpReservation<Async extends boolean = true> extends Reservation<Async> {
  /**
   * Takes over the settling from the adapter: call it before the response ends, when the cost is known only afterwards.
   * Then the end of the response still frees the slots, but neither `skipFailedRequests` nor `skipSuccessfulRequests`
   * gives units back, and a later `settle(actual)` or `cancel()` counts. What you never settle stays charged. It
   * concerns this policy alone, as `settle` does.
   *
   * @example
   * req.rateLimit?.deferSettle();
   * meter.once('usage', (tokens) => req.rateLimit?.settle(tokens));
   */
  deferSettle(): void;
  /**
   * Keeps the slots of the request until a promise is settled, in all policies that the request has met. Without it a slot is
   * freed when the response has ended or the client has left, unless the framework tells when the handler ends. After the
   * response has ended, a slot is kept for at most one `lease` more. Where `work` rejects, that frees the slot as well; to
   * handle the error remains yours.
   *
   * @throws SluiceError `SLUICE_OPTION` for what is no promise
   * @example
   * const work = exportRows();
   * req.rateLimit?.releaseAfter(work);
   * res.send(await work);
   */
  releaseAfter(work: PromiseLike<unknown>): void;
}

/** Built by the engine of an adapter's policy. */
export class HttpGrantedReservation extends GrantedReservation implements HttpReservation<boolean> {
  /** The policies that the request has met; absent for what a policy's handle was asked for. */
  chain: { readonly work: Work } | undefined;
  #isDeferred = false;

  /** Whether the handler has taken over the settling. */
  get isDeferred(): boolean {
    return this.#isDeferred;
  }

  deferSettle(): void {
    this.#isDeferred = true;
  }

  releaseAfter(work: PromiseLike<unknown>): void {
    if (typeof work?.then !== 'function') {
      throw optionError('releaseAfter', 'must be given the promise of what the request does', work);
    }
    const end = this.chain?.work.begin();
    if (end) work.then(end, end);
  }
}
