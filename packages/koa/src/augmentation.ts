import type { LoadState } from '@sluice/core/application';
import type { HttpReservation } from '@sluice/core/http';

declare module 'koa' {
  interface DefaultState {
    /** The decision of the last policy that counted the request; absent if none did. */
    rateLimit?: HttpReservation;
    /** How busy this process is; absent without `shedLoad`. */
    load?: LoadState;
  }
}
