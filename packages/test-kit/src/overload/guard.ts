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
}

export type MakeGuard = (host: GuardHost) => Guard;
