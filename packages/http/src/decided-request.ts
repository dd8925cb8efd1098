import type { CompiledOptions } from './compiled-options.js';
import type { Enforcement, Fields } from './enforcement.js';
import type { HeaderItem } from './headers/item.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import { type HttpResponse, setHeaders, writeFields } from './node/response.js';
import type { RequestPolicies, StatedDecision } from './request-policies.js';

type Args = readonly unknown[];

const NONE: readonly HeaderItem[] = [];

/**
 * A request that a policy has decided about, with what is to be done about it. `enforcementOf` makes it, and gives it the steps that
 * it needs: a request that is admitted at once needs none.
 */
export class DecidedRequest<A extends Args> implements Enforcement, StatedDecision {
  // Declared, and set by the constructor: a field of a class is set twice.
  declare readonly compiled: CompiledOptions<A>;
  declare readonly reservation: HttpGrantedReservation & HttpReservation;
  declare readonly policies: RequestPolicies;
  declare readonly args: A;
  declare items: readonly HeaderItem[];
  declare ownItems: readonly HeaderItem[];
  declare outdated: readonly string[] | undefined;
  declare restated: Fields | undefined;
  /** How many seconds the fields of a refusal say to wait; undefined if they say nothing. */
  declare waitSeconds: number | undefined;
  declare finish: Enforcement['finish'];
  declare extraHeaders: Enforcement['extraHeaders'];
  declare refuse: Enforcement['refuse'];
  declare turn: Enforcement['turn'];

  constructor(
    compiled: CompiledOptions<A>,
    reservation: HttpGrantedReservation & HttpReservation,
    policies: RequestPolicies,
    args: A,
  ) {
    this.compiled = compiled;
    this.reservation = reservation;
    this.policies = policies;
    this.args = args;
    this.items = NONE;
    this.ownItems = NONE;
    this.outdated = undefined;
    this.restated = undefined;
    this.waitSeconds = undefined;
    this.finish = undefined;
    this.extraHeaders = undefined;
    this.refuse = undefined;
    this.turn = undefined;
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
