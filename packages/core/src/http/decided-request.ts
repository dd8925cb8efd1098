import type { CompiledOptions } from './compiled-options.js';
import type { Enforcement, Fields } from './enforcement.js';
import type { HeaderItem } from './headers/item.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import { type HttpResponse, setHeaders, writeFields } from './node/response.js';
import type { RequestPolicies } from './request-policies.js';

type Args = readonly unknown[];

const NONE: readonly HeaderItem[] = [];

/**
 * A request that a policy has decided about, with what is to be done about it. `enforcementOf` makes it, and gives it the steps that
 * it needs: a request that is admitted at once needs none.
 */
export class DecidedRequest<A extends Args> implements Enforcement {
  readonly compiled: CompiledOptions<A>;
  readonly reservation: HttpGrantedReservation & HttpReservation;
  readonly policies: RequestPolicies;
  readonly args: A;
  /** The limits that the header fields state: those of all policies so far. Empty if no numbers are known, or none are sent. */
  items = NONE;
  /** Those of this policy. */
  ownItems = NONE;
  /** The names of fields that an earlier policy set, and that are not valid any more. */
  outdated: readonly string[] | undefined = undefined;
  /** If the request is refused: fields of earlier policies, as they are after their charges have been given back. */
  readonly restated: Fields | undefined;
  /** How many seconds the fields of a refusal say to wait; undefined if they say nothing. */
  waitSeconds: number | undefined = undefined;
  finish: Enforcement['finish'] = undefined;
  extraHeaders: Enforcement['extraHeaders'] = undefined;
  refuse: Enforcement['refuse'] = undefined;
  turn: Enforcement['turn'] = undefined;

  constructor(
    compiled: CompiledOptions<A>,
    reservation: HttpGrantedReservation & HttpReservation,
    policies: RequestPolicies,
    args: A,
    restated: Fields | undefined,
  ) {
    this.compiled = compiled;
    this.reservation = reservation;
    this.policies = policies;
    this.args = args;
    this.restated = restated;
  }

  /** Takes the limits to state from the policies, which notes this policy. */
  stateLimits(): void {
    const { policies } = this;
    this.ownItems = policies.add(this.reservation, this.compiled);
    this.items = policies.items;
    this.outdated = policies.outdated;
  }

  /** A refused request does not wait, although it may be told how long it would have to. */
  get delayMs(): number {
    return this.reservation.allowed && !this.refuse ? this.reservation.delayMs : 0;
  }

  get headers(): Fields {
    const own = this.compiled.fields.record(this.items, this.waitSeconds);
    return this.restated ? { ...this.#validOf(this.restated), ...own } : own;
  }

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
