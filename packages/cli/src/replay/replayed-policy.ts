import type { Limit, LimitItem, MemoryStore } from '@sluice/core';
import type { LoggedRequest } from '../log/logged-request.js';

/** A policy as `createLimiter` takes it, with the address lists of HTTP. */
export interface PolicyForLog {
  readonly name: string;
  readonly limits: readonly LimitItem<[request: LoggedRequest], false>[];
  readonly cost?: number | ((request: LoggedRequest) => number);
  readonly allowList?: readonly string[];
  readonly denyList?: readonly string[];
}

/** A policy that is replayed. */
export interface ReplayedPolicy {
  readonly name: string;
  /** The names of its limits. */
  readonly limits: readonly string[];
  /** For each limit, the number of its key: limits with the same key have the same number. The policy's own key is 0. */
  readonly keyOfLimit: readonly number[];
  readonly matches: (request: LoggedRequest) => boolean;
  /** Makes its options on a store. Overrides and blocks follow the clock of the store. */
  compile(store: MemoryStore): PolicyForLog;
  /** The tier that a limit belongs to; empty if it is the same in all tiers. */
  tierOf(limit: Limit): string;
}
