import type { LoadState } from '@sluice/core/application';

declare global {
  namespace Express {
    interface Request {
      /** How busy this process is; absent without `shedLoad`. On Fastify, `@CurrentLoad()` has a type. */
      load?: LoadState;
    }
  }
}
