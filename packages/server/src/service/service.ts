import type { LivePolicies } from '@sluice/config';
import type { Store } from '@sluice/core';
import type { HttpReservation, PolicyHandle, Refusal } from '@sluice/core/http';
import type { Eventual } from '@sluice/core/values';
import type { ServiceCall } from './service-call.js';

/** The answer to a call: what a middleware would have put on the response. */
export interface ServiceAnswer {
  readonly allowed: boolean;
  /** Absent if no limit was asked: for an address on a list, a request without a key, or one that no rule matches. */
  readonly decision?: HttpReservation | undefined;
  /** The fields of allowed and refused responses. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same as names and values in turn, as `writeHead` of Node takes them. */
  readonly rawHeaders: readonly string[];
  /** Present if the call is refused: status, further fields and body, the same bytes as of a middleware. */
  readonly refusal?: Refusal | undefined;
}

/** Decides by the policies of the file. All protocols ask it. */
export interface Service {
  readonly live: LivePolicies<ServiceCall>;
  readonly store: Store;
  /** Whether the file has a policy of this name now. */
  has(policy: string): boolean;
  /**
   * Decides about a call by one policy. The answer to an allowed call is no promise if the store is synchronous.
   *
   * @throws SluiceError `SLUICE_KEY`, `SLUICE_COST` for a call that cannot be counted; nothing is spent then. `SLUICE_OPTION` if
   * the file has no such policy
   */
  answer(policy: string, call: ServiceCall): Eventual<ServiceAnswer>;
  /**
   * Decides about a call by several policies, as a chain of middleware does: if one refuses, those before it give back what they
   * have charged, and the later ones are not asked. The decision is that of the last policy that was asked.
   *
   * @param policies - at least one
   * @throws SluiceError as `answer`
   */
  answerAll(policies: readonly string[], call: ServiceCall): Eventual<ServiceAnswer>;
  /**
   * Returns the verbs of a policy, such as `reset` and `block`: those of the policy that decides.
   *
   * @throws SluiceError `SLUICE_OPTION` if the file has no such policy
   */
  handle(policy: string): PolicyHandle<[call: ServiceCall]>;
}
