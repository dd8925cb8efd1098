import type { EventLoop, LoadState, Permit, Priority, RequestOrigin } from '@sluice/core/load';

/** What a simulated server asks for each request: a shedder, or one of its peers. */
export interface Guard {
  admit(priority: Priority, origin?: RequestOrigin): Permit | undefined;
  /** Read for the course of a run. */
  readonly state?: Pick<LoadState, 'border' | 'limit' | 'inFlight'>;
}

/** What a guard may read and do. */
interface GuardHost {
  readonly eventLoop: EventLoop;
  readonly random: () => number;
  /** Runs a task at intervals on the event loop. */
  every(intervalMs: number, task: () => void): void;
  /** What no real guard can know. */
  readonly truth: Truth;
}

/** How long the queues are indeed, for a guard that shows what is possible. */
export interface Truth {
  /** The processor time that admitted requests still need. */
  readonly aheadMs: number;
  /** How many admitted requests have not ended. */
  readonly inFlight: number;
  /** For how long the request that is asked for has waited. */
  readonly waitedMs: number;
}

export type MakeGuard = (host: GuardHost) => Guard;
