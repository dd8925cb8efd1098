// Why it is so: core/docs/why/http-steps.md

import { type Eventual, whenReady } from '@sluice/core/src/values/eventual';
import type { HttpReservation } from './http-reservation.js';
import { type HttpResponse, setHeaders } from './node/response.js';
import type { Outcome } from './node/response-end.js';
import type { Refusal } from './problem.js';
import type { RequestPolicies } from './request-policies.js';

/** Header fields by name. */
export type Fields = Readonly<Record<string, string>>;

/**
 * What is to be done about a request after a decision: the steps, in the order in which a middleware takes them. `carryOut`
 * takes them all. A step that is undefined is not needed.
 */
export interface Enforcement {
  /** The value of `req.rateLimit`. Undefined if no limit was asked, for example for an address on the deny list. */
  readonly reservation?: HttpReservation | undefined;
  /** Milliseconds that the request has to wait for its turn. `turn` does the waiting. */
  readonly delayMs: number;
  /**
   * Call it once when the request has ended in any way, even while another step is running. It never fails.
   */
  readonly finish?: ((outcome: Outcome) => Promise<void>) | undefined;
  /**
   * Returns the fields of `extraHeaders`. Set them before `headers`. If it fails, every policy has given back its
   * charge.
   */
  readonly extraHeaders?: (() => Eventual<Fields>) | undefined;
  /**
   * The names of fields that an outer policy set, and that are not valid any more. Remove them before you set
   * `headers`.
   */
  readonly outdated?: readonly string[] | undefined;
  /** Set these on the response in any case. They are made when you ask for them: ask once, and of this object, not of a copy. */
  readonly headers: Fields;
  /** Sets `headers` on a response, without a record of them. Does nothing if the response was begun. */
  writeTo(response: HttpResponse): void;
  /**
   * Present if the request is refused. Call it after the fields are set. It calls `onLimitReached` if a limit refused
   * (not for a failed store or the deny list). Returns the refusal to send. If `isAnswered` returns true, because
   * the hook or somebody else has sent a response, it returns undefined. It returns a promise if a function of the policy does.
   */
  readonly refuse?: ((isAnswered: () => boolean) => Eventual<Refusal | undefined>) | undefined;
  /**
   * Present if the request has to wait. Resolves at the turn of the request. If it has to give way to another request, it resolves
   * with the steps of a refusal, to be taken in place of the handler. If the client leaves, it gives back the charges that can be
   * given back, and rejects with the signal's reason.
   */
  readonly turn?: ((gone: AbortSignal) => Promise<Enforcement | undefined>) | undefined;
}

/** Refuses a request before any limit is asked: its address is on the deny list, or it has no key. */
export function refuseUncounted(policies: RequestPolicies, refusal: Refusal): Eventual<Enforcement> {
  const headers = policies.restate() ?? {};
  return whenReady(policies.refuse(), () => ({
    headers,
    writeTo: (response) => setHeaders(response, headers),
    delayMs: 0,
    refuse: (isAnswered) => (isAnswered() ? undefined : refusal),
  }));
}

/** Lets a request wait for ever, whose client has left: adapters notice that themselves. Its charges are given back. */
export function abandon(policies: RequestPolicies): Eventual<Enforcement> {
  return whenReady(policies.cancel(), () => ({ headers: {}, writeTo: () => {}, delayMs: 0, turn: never }));
}

function never(gone: AbortSignal): Promise<undefined> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(gone.reason);
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  });
}

/** Gives back the charges of all policies of the policies, and throws. */
export function cancelAndThrow(policies: RequestPolicies, error: unknown): Eventual<never> {
  return whenReady(policies.cancel(), () => {
    throw error;
  });
}
