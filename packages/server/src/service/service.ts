import type { LivePolicies } from '@sluice/config';
import type { Store } from '@sluice/core';
import type { Eventual, HttpReservation, Refusal } from '@sluice/core/http';
import type { ServiceCall } from './service-call.js';

/** The answer to a call: what a middleware would have put on the response. */
export interface ServiceAnswer {
  readonly allowed: boolean;
  /** Absent if no limit was asked: for an address on a list, a request without a key, or one that no rule matches. */
  readonly decision?: HttpReservation;
  /** The fields of allowed and refused responses. */
  readonly headers: Readonly<Record<string, string>>;
  /** Present if the call is refused: status, further fields and body, the same bytes as of a middleware. */
  readonly refusal?: Refusal;
}

/** Decides by the policies of the file. All protocols ask it. */
export interface Service {
  readonly live: LivePolicies<ServiceCall>;
  readonly store: Store;
  /** Whether the file has a policy of this name now. */
  has(policy: string): boolean;
  /**
   * Decides about a call by one policy.
   *
   * @throws SluiceError `SLUICE_KEY`, `SLUICE_COST` for a call that cannot be counted; nothing is spent then
   */
  answer(policy: string, call: ServiceCall): Eventual<ServiceAnswer>;
}
