import type { Key } from '@sluice/core';
import type { HttpRequest } from '@sluice/core/http';

/** How a call counts. */
export type CallKind = 'consume' | 'peek' | 'reserve';

/**
 * A request that somebody asks about: what policies read of it, whatever protocol brought it here. It is an `HttpRequest`, so
 * policies, their keys and their rules read it as they read the request of a framework.
 */
export interface ServiceCall extends HttpRequest {
  readonly kind: CallKind;
  /** The values of the keys that the file takes from code (`from: code`), by their names. */
  readonly keys?: Readonly<Record<string, Key>> | undefined;
  /** The tier, where the file takes it from code. */
  readonly tier?: string | undefined;
  /**
   * Replaces the cost of the policy, on each limit without its own: a safe integer of at least 0. If the policy takes its cost from
   * code, it is within the least and the most of the file.
   */
  readonly cost?: number | undefined;
  /** Names the operation: a repeated call gets the first answer, and charges nothing. */
  readonly operationId?: string | undefined;
  /** How long the answer to an operation is remembered: 1 to 86,400,000 ms. Default: 60,000. */
  readonly holdMs?: number;
  /** How long the charge of a `'reserve'` with an `operationId` can be corrected: an hour at least, which is the default. */
  readonly correctableMs?: number;
}
