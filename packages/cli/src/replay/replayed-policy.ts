import type { Limit, LimitItem, MemoryStore } from '@sluice/core';
import type { LoggedRequest } from '../log/logged-request.js';

/** A policy as `createLimiter` takes it. */
export interface PolicyForLog {
  readonly name: string;
  readonly limits: readonly LimitItem<[request: LoggedRequest], false>[];
  readonly cost?: number | ((request: LoggedRequest) => number);
  /** Whether a request is not counted. */
  readonly skip?: (request: LoggedRequest) => boolean;
}

/** A policy that is replayed. */
export interface ReplayedPolicy {
  readonly name: string;
  /** The names of its limits in the file. A limit with variants is several limits when it is compiled. */
  readonly limits: readonly string[];
  /**
   * For each compiled limit, the number of its key: limits with the same key have the same number. The policy's own key is
   * 0.
   */
  readonly keyOfLimit: readonly number[];
  /** The limits by the names under which they count, and the tiers that have them: one for each line of the result. */
  readonly parts: readonly { readonly limit: string; readonly tier: string }[];
  /** Whether its own key tells clients apart: one key for everyone does not. */
  readonly isOfClients: boolean;
  /** Whether it is for all requests. */
  readonly isForAll: boolean;
  readonly matches: (request: LoggedRequest) => boolean;
  /** Makes its options on a store. Overrides and blocks follow the clock of the store. */
  compile(store: MemoryStore): PolicyForLog;
  /** The tier that a limit belongs to; empty if it is the same in all tiers. */
  tierOf(limit: Limit): string;
}
