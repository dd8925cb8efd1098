import type { ConnectionPool } from './connection-pool.js';

/** A stretch of time with the same load. */
export interface Phase {
  readonly perSecond: number;
  readonly seconds: number;
  /** Requests of the first seconds are sent, and not counted. */
  readonly settleSeconds: number;
}

export interface LoadOptions {
  /**
   * Its connections were opened before the first request; more follow when they are needed. With few, the kernel sheds for a server that
   * does not: it drops new connections while too many wait to be accepted.
   */
  readonly pool: ConnectionPool;
  /** They follow each other without a break. */
  readonly phases: readonly Phase[];
  readonly seed: number;
}
