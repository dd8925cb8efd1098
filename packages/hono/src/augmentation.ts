import type { LoadState } from '@sluice/core/application';
import type { HttpReservation } from '@sluice/core/http';

declare module 'hono' {
  interface ContextVariableMap {
    /** The decision of the last policy that counted the request; undefined if none did. */
    rateLimit: HttpReservation | undefined;
    /** How busy the process is; undefined if the request did not pass `shedLoad`. */
    load: LoadState | undefined;
  }
}
