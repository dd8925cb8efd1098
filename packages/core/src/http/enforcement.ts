// Why it is so: docs/why/http-steps.md

import { type Eventual, whenReady } from '../values/eventual.js';
import type { CompiledOptions } from './compiled-options.js';
import type { HeaderItem } from './headers/item.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import type { Outcome } from './node/response-end.js';
import type { Refusal } from './problem.js';
import type { RequestPolicies } from './request-policies.js';

type Args = readonly unknown[];

/** Header fields by name. */
export type Fields = Readonly<Record<string, string>>;

/** The decision about a request, and the steps that follow from it, in the order in which a middleware takes them. */
export interface Enforcement {
  /** The value of `req.rateLimit`. Absent if no limit was asked, for example for an address on the deny list. */
  readonly reservation?: HttpReservation;
  /** Milliseconds that the request has to wait for its turn. `turn` does the waiting. */
  readonly delayMs: number;
  /**
   * Call it once when the request has ended in any way, even while another step is running. It never fails. Absent if
   * nothing is to be done then.
   */
  finish?(outcome: Outcome): Promise<void>;
  /**
   * Returns the fields of `extraHeaders`. Set them before `headers`. If it fails, every policy has given back its
   * charge.
   */
  extraHeaders?(): Eventual<Fields>;
  /**
   * The names of fields that an outer policy set, and that are not valid any more. Remove them before you set
   * `headers`.
   */
  readonly outdated?: readonly string[];
  /** Set these on the response in any case. */
  readonly headers: Fields;
  /**
   * Present if the request is refused. Call it after the fields are set. It calls `onLimitReached` if a limit refused
   * (not for a failed store or the deny list). Resolves with the refusal to send. If `isAnswered` returns true, because
   * the hook or somebody else has sent a response, it resolves with undefined.
   */
  refuse?(isAnswered: () => boolean): Promise<Refusal | undefined>;
  /**
   * Present if the request has to wait. Resolves at the turn of the request. If it has to give way to another request, it resolves
   * with the steps of a refusal, to be taken in place of the handler. If the client leaves, it gives back the charges that can be
   * given back, and rejects with the signal's reason.
   */
  turn?(gone: AbortSignal): Promise<Enforcement | undefined>;
}

/** A request that a policy has decided about. */
export interface DecidedRequest<A extends Args> {
  readonly compiled: CompiledOptions<A>;
  readonly reservation: HttpGrantedReservation & HttpReservation;
  readonly policies: RequestPolicies;
  readonly args: A;
  /** The limits that the header fields state: those of all policies so far. */
  readonly items: readonly HeaderItem[];
  /** Those of this policy. */
  readonly ownItems: readonly HeaderItem[];
  /** The names of fields that an earlier policy set, and that are not valid any more. */
  readonly outdated: readonly string[] | undefined;
  /** If the request is refused: fields of earlier policies, as they are after their charges have been given back. */
  readonly restated: Fields | undefined;
}

/** Refuses a request before any limit is asked: its address is on the deny list, or it has no key. */
export function refuseUncounted(policies: RequestPolicies, refusal: Refusal): Eventual<Enforcement> {
  const headers = policies.restate() ?? {};
  return whenReady(policies.refuse(), () => ({
    headers,
    delayMs: 0,
    refuse: async (isAnswered) => (isAnswered() ? undefined : refusal),
  }));
}

/** Gives back the charges of all policies of the request, and throws. */
export function cancelAndThrow(policies: RequestPolicies, error: unknown): Eventual<never> {
  return whenReady(policies.cancel(), () => {
    throw error;
  });
}
