// Why it is so: core/docs/why/http-steps.md

import { type Eventual, whenReady } from '@sluice/core/src/values/eventual';
import type { HeaderItem } from '../headers/item.js';
import type { HttpResponse } from '../node/response.js';
import type { Outcome } from '../node/response-end.js';
import { setHeaders, writeFields } from '../node/response-fields.js';
import type { Refusal } from '../refusals/problem.js';
import type { HttpGrantedReservation, HttpReservation } from '../request/http-reservation.js';
import type { RequestPolicies } from '../request/request-policies.js';
import type { CompiledOptions } from './compiled-options.js';

type Args = readonly unknown[];

/** Header fields by name. */
export type Fields = Readonly<Record<string, string>>;

/** The reservation of a request that was counted, for handlers and for this package. */
type CountedReservation = HttpGrantedReservation & HttpReservation;

/** What is to be done with a request that was counted. */
export type CountedEnforcement<A extends Args> = Enforcement<A, CountedReservation>;

const NONE: readonly HeaderItem[] = [];

/**
 * What is to be done with a request after a decision: the steps, in the order in which `carryOut` takes them. A step that is
 * undefined is not needed: a request that is admitted at once needs none. `enforcementOf` makes it of a decision.
 *
 * An adapter that takes the steps itself needs `reservation`, `finish`, `extraHeaders`, `outdated`, `headers`, `refuse` and `turn`. Everything
 * else is for this package.
 */
export class Enforcement<A extends Args, R extends HttpReservation | undefined = HttpReservation | undefined> {
  // Declared, and set by the constructor: a field of a class is set twice.
  /** The options of the policy that has decided. */
  declare readonly compiled: CompiledOptions<A>;
  /** The policies that the request has passed, this one included. */
  declare readonly policies: RequestPolicies;
  /** The arguments of the framework. */
  declare readonly args: A;
  /** The value of `req.rateLimit`. Undefined if no limit was asked, for example for an address on the deny list. */
  declare readonly reservation: R;
  /** The limits that the header fields state: those of all policies so far. */
  declare items: readonly HeaderItem[];
  /** Those of this policy. */
  declare ownItems: readonly HeaderItem[];
  /** If the request is refused: fields of earlier policies, as they are after their charges have been given back. */
  declare restated: Fields | undefined;
  /** How many seconds the fields of a refusal say to wait; undefined if they say nothing. */
  declare waitSeconds: number | undefined;
  /** Call it once when the request has ended in any way, even while another step is running. It never fails. */
  declare finish: ((outcome: Outcome) => Promise<void>) | undefined;
  /**
   * Returns the fields of `extraHeaders`. Set them before `headers`. If it fails, every policy has given back its
   * charge.
   */
  declare extraHeaders: (() => Eventual<Fields>) | undefined;
  /**
   * The names of fields that an outer policy set, and that are not valid any more. Remove them before you set
   * `headers`.
   */
  declare outdated: readonly string[] | undefined;
  /**
   * Present if the request is refused. Call it after the fields are set. It calls `onLimitReached` if a limit refused
   * (not for a failed store or the deny list). Returns the refusal to send. If `isAnswered` returns true, because
   * the hook or somebody else has sent a response, it returns undefined. It returns a promise if a function of the policy does.
   */
  declare refuse: ((isAnswered: () => boolean) => Eventual<Refusal | undefined>) | undefined;
  /**
   * Present if the request has to wait. Resolves at the turn of the request. If it has to give way to another request, it resolves
   * with the steps of a refusal, to be taken in place of the handler. If the client leaves, it gives back the charges that can be
   * given back, and rejects with the signal's reason.
   */
  declare turn: ((gone: AbortSignal) => Promise<Enforcement<A> | undefined>) | undefined;

  constructor(compiled: CompiledOptions<A>, policies: RequestPolicies, args: A, reservation: R) {
    this.compiled = compiled;
    this.policies = policies;
    this.args = args;
    this.reservation = reservation;
    this.items = NONE;
    this.ownItems = NONE;
    this.restated = undefined;
    this.waitSeconds = undefined;
    this.finish = undefined;
    this.extraHeaders = undefined;
    this.outdated = undefined;
    this.refuse = undefined;
    this.turn = undefined;
  }

  /** Set these on the response in any case. They are made when you ask for them. */
  get headers(): Fields {
    const own = this.compiled.fields.record(this.items, this.waitSeconds);
    return this.restated ? { ...this.#validOf(this.restated), ...own } : own;
  }

  /** The same as names and values in turn, as `writeHead` of Node takes them. They are made when you ask for them. */
  get rawHeaders(): readonly string[] {
    return this.restated ? Object.entries(this.headers).flat() : this.compiled.fields.raw(this.items, this.waitSeconds);
  }

  /** Sets `headers` on a response, without a record of them. Does nothing if the response was begun. */
  writeTo(response: HttpResponse): void {
    if (this.restated) setHeaders(response, this.#validOf(this.restated));
    writeFields(response, this.compiled, this.items, this.waitSeconds);
  }

  #validOf(fields: Fields): Fields {
    const { outdated } = this;
    if (!outdated) return fields;
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !outdated.includes(name)));
  }
}

/** Refuses a request before any limit is asked: its address is on the deny list, or it has no key. */
export function refuseUncounted<A extends Args>(
  compiled: CompiledOptions<A>,
  policies: RequestPolicies,
  args: A,
  refusal: Refusal,
): Eventual<Enforcement<A>> {
  const enforcement = new Enforcement(compiled, policies, args, undefined);
  enforcement.restated = policies.restate();
  enforcement.refuse = (isAnswered) => (isAnswered() ? undefined : refusal);
  return whenReady(policies.refuse(), () => enforcement);
}

/** Lets a request wait for ever, whose client has left: adapters notice that themselves. Its charges are given back. */
export function abandon<A extends Args>(
  compiled: CompiledOptions<A>,
  policies: RequestPolicies,
  args: A,
): Eventual<Enforcement<A>> {
  const enforcement = new Enforcement(compiled, policies, args, undefined);
  enforcement.turn = never;
  return whenReady(policies.cancel(), () => enforcement);
}

function never(gone: AbortSignal): Promise<undefined> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(gone.reason);
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  });
}

/** Gives back the charges of all policies that the request has passed, and throws. */
export function cancelAndThrow(policies: RequestPolicies, error: unknown): Eventual<never> {
  return whenReady(policies.cancel(), () => {
    throw error;
  });
}
