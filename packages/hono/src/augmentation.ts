import type { HttpReservation } from '@sluice/core/http';

declare module 'hono' {
  interface ContextVariableMap {
    /** The decision of the last policy that ran; undefined when none counted the request. */
    rateLimit: HttpReservation | undefined;
  }
}
