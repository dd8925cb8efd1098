import type { HttpReservation, LoadState } from '@sluice/core/http';

declare module 'hono' {
  interface ContextVariableMap {
    /** The decision of the last policy that counted the request; undefined if none did. */
    rateLimit: HttpReservation | undefined;
    /** How busy the process is; undefined if the request did not pass `shedLoad`. */
    load: LoadState | undefined;
  }
}
