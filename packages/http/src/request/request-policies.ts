// Why it is so: core/docs/why/http-steps.md

import { allReady, type Eventual, recover, whenReady } from '@sluice/core/src/values/eventual';
import type { HeaderFields } from '../headers/fields.js';
import { givenBack, type HeaderItem, isAdvertised, namedApart } from '../headers/item.js';
import type { DoubleCountWarning } from './double-count-warning.js';
import { pausePermits, resumePermits } from './held-permits.js';
import type { HttpGrantedReservation } from './http-reservation.js';
import { Work } from './work.js';

/** The place where a policy counts, and its name there. */
export interface Counter {
  readonly store: object;
  readonly policy: string;
}

const isSame = (one: Counter, other: Counter): boolean => one.store === other.store && one.policy === other.policy;

/** A policy that requests pass. */
export interface PassedPolicy {
  readonly counter: Counter;
  readonly doubleCount: DoubleCountWarning;
  readonly fields: HeaderFields;
  /** The names, in lower case, of all fields that the policy may send. */
  readonly names: ReadonlySet<string>;
  /** Whether it sends fields other than those that say how long to wait. */
  readonly statesLimits: boolean;
}

/** A policy's decision about a request, and what the response states since then: an `Enforcement`, as far as it is written here. */
interface StatedDecision {
  readonly compiled: PassedPolicy;
  readonly reservation: HttpGrantedReservation;
  /** The limits that the header fields state: those of all policies so far. Empty if no numbers are known, or none are sent. */
  items: readonly HeaderItem[];
  /** Those of this policy. */
  ownItems: readonly HeaderItem[];
  /** The names of fields that an earlier policy set, and that are not valid any more. */
  outdated: readonly string[] | undefined;
  /** If the request is refused: fields of earlier policies, as they are after their charges have been given back. */
  restated: Readonly<Record<string, string>> | undefined;
}

const NONE: readonly never[] = [];

/**
 * The policies that one request has passed so far. Each adds its limits to the header fields of those before it. If one
 * refuses, the charges of the others are given back.
 *
 * A policy is part of it once. If an application asks a policy again about the same object, that is a further call with
 * `RequestPolicies` of its own: the charges of earlier calls stay, whatever follows. See `enterPolicy`.
 *
 * Its lists are replaced and never pushed to, since most have one element: see "Objects and fields" in `packages/bench/docs/v8.md`.
 */
export class RequestPolicies {
  /** The request that these policies decide about first. Others may share it: see `joinRequestPolicies`. */
  readonly request: object | undefined;
  /** Whether a policy has given the request a slot. Then it matters when the work of the request ends. */
  holdsSlots = false;
  /** The items of all policies so far, in their order. */
  #items: readonly HeaderItem[] = NONE;
  #charges: readonly HttpGrantedReservation[] = NONE;
  #isRefused = false;
  /** The items of charges that are given back if a policy refuses. */
  #chargedItems: readonly HeaderItem[] = NONE;
  /** The first policy that sends fields, and how many items it stated. */
  #firstPolicy: PassedPolicy | undefined;
  #firstCount = 0;
  /** The same for all later ones. */
  #laterPolicies: readonly (readonly [policy: PassedPolicy, count: number])[] = NONE;
  /** The names of the fields that the policies have set so far; undefined if only the first has set some. */
  #setNames: readonly string[] | undefined;
  /** Whether a request passed a limit of a policy that only marks it. */
  #isExceeded = false;
  #isWaiting = false;
  #repeats = false;
  #work: Work | undefined;
  /** The policies that have decided about the request: usually one. */
  #first: Counter | undefined;
  #others: Counter[] | undefined;

  /**
   * @param request - may have a permit of `shedLoad`; absent if nothing else follows for the request
   * @param first - the first policy that decides about it, if that is known
   */
  constructor(request?: object, first?: Counter) {
    this.request = request;
    this.#first = first;
  }

  /** Notes a policy that decides about the request. Returns false if it has decided already. */
  enter(counter: Counter): boolean {
    if (this.#repeats) return true;
    if (this.#first === undefined) {
      this.#first = counter;
      return true;
    }
    if (isSame(this.#first, counter) || this.#others?.some((other) => isSame(other, counter))) return false;
    this.#others ??= [];
    this.#others.push(counter);
    return true;
  }

  /**
   * Returns the policies of a further call about the same object. They begin with one that has decided already. The
   * response still states the limits of all others, and those of this policy as the new call finds them.
   */
  further({ counter }: PassedPolicy): RequestPolicies {
    const policies = new RequestPolicies(this.request, counter);
    policies.#work = this.work;
    policies.holdsSlots = this.holdsSlots;
    policies.#isExceeded = this.#isExceeded;
    policies.#setNames = this.#namesSoFar;
    let from = 0;
    for (const [policy, count] of this.#stating()) {
      if (!isSame(policy.counter, counter)) policies.#state(policy, this.#items.slice(from, count));
      from = count;
    }
    return policies;
  }

  /** Says that a policy may count the request more than once: each time by other keys. */
  allowRepeats(): void {
    this.#repeats = true;
  }

  /**
   * Adds a decision: its mark, which the reservations of later policies say, too; its charge; and the limits that the response states
   * from now on. If another policy refuses the request, the charge is given back at once: an application may ask several policies
   * at the same time, and then the refusal can come first.
   *
   * @param hasNumbers - whether the decision has numbers to state
   */
  add(decision: StatedDecision, hasNumbers: boolean): Eventual<unknown> {
    const { reservation } = decision;
    if (reservation.exceeded) this.#isExceeded = true;
    else if (this.#isExceeded) reservation.exceeded = true;
    if (!reservation.allowed) decision.restated = this.restate();
    if (hasNumbers) this.#addItems(decision);
    if (!reservation.allowed) return undefined;
    if (this.#isRefused) return reservation.cancel();
    this.#charges = this.#charges.length === 0 ? [reservation] : [...this.#charges, reservation];
    return undefined;
  }

  /** If the policy sends no fields, later ones do not state its limits. */
  #addItems(decision: StatedDecision): void {
    const { compiled, reservation } = decision;
    const { policy, verdicts, allowed } = reservation;
    const stated = verdicts.every(isAdvertised) ? verdicts : verdicts.filter(isAdvertised);
    decision.ownItems = stated;
    if (!compiled.statesLimits) return;
    const isFirst = this.#firstPolicy === undefined && this.#setNames === undefined;
    const named = isFirst ? stated : namedApart(stated, policy, this.#items);
    const isGivenBack = allowed && this.#isRefused;
    const own = isGivenBack ? named.map(givenBack) : named;
    const namesSoFar = isFirst ? undefined : this.#namesSoFar;
    this.#state(compiled, own);
    if (allowed && !isGivenBack)
      this.#chargedItems = this.#chargedItems.length === 0 ? own : [...this.#chargedItems, ...own];
    if (namesSoFar) decision.outdated = this.#outdate(namesSoFar, compiled);
    decision.ownItems = own;
    decision.items = this.#items;
  }

  /** The names of the fields that the policies so far have set; undefined if there are none. */
  get #namesSoFar(): readonly string[] | undefined {
    return this.#setNames ?? this.#firstPolicy?.fields.namesFor(this.#items);
  }

  #state(policy: PassedPolicy, own: readonly HeaderItem[]): void {
    this.#items = this.#items.length === 0 ? own : [...this.#items, ...own];
    if (this.#firstPolicy === undefined) {
      this.#firstPolicy = policy;
      this.#firstCount = own.length;
    } else this.#laterPolicies = [...this.#laterPolicies, [policy, this.#items.length]];
  }

  /** The policies that send fields, each with the number of items that it and those before it state. */
  #stating(): readonly (readonly [policy: PassedPolicy, count: number])[] {
    return this.#firstPolicy ? [[this.#firstPolicy, this.#firstCount], ...this.#laterPolicies] : NONE;
  }

  /**
   * States the limits of the charges so far as they are after a refusal has given the charges back. Returns the fields that the
   * policies so far have set, with the new numbers; undefined if nothing changes.
   */
  restate(): Readonly<Record<string, string>> | undefined {
    const charged = this.#chargedItems;
    if (charged.length === 0 || this.#firstPolicy === undefined) return undefined;
    this.#chargedItems = NONE;
    this.#items = this.#items.map((item) => (charged.includes(item) ? givenBack(item) : item));
    const fields = this.#firstPolicy.fields.record(this.#items.slice(0, this.#firstCount));
    for (const [policy, count] of this.#laterPolicies) {
      // As each policy has done it: what it does not state any more is gone.
      for (const name of Object.keys(fields)) if (policy.names.has(name.toLowerCase())) delete fields[name];
      Object.assign(fields, policy.fields.record(this.#items.slice(0, count)));
    }
    return fields;
  }

  /** Returns the names of fields that an earlier policy set, for a limit that is no longer the one to state. */
  #outdate(earlier: readonly string[], { fields, names }: PassedPolicy): readonly string[] | undefined {
    const now = fields.namesFor(this.#items);
    const outdated = earlier.filter((name) => names.has(name.toLowerCase()) && !now.includes(name));
    this.#setNames = [...new Set([...earlier, ...now])];
    return outdated.length > 0 ? outdated : undefined;
  }

  /** Notes that a policy refuses the request, and gives back the charges of all others: see `cancel`. */
  refuse(): Eventual<unknown> {
    this.#isRefused = true;
    return this.cancel();
  }

  /** The work of the request: its handler, and promises. */
  get work(): Work {
    this.#work ??= new Work();
    return this.#work;
  }

  /**
   * Gives back the charges of the policies so far, each once. Tries all of them, and then throws the first error. The request
   * goes no further: it takes no place of `shedLoad` any more, and its time says nothing about the server.
   */
  cancel(): Eventual<unknown> {
    this.#pause();
    const charges = this.#charges;
    if (charges.length === 0) return undefined;
    this.#charges = NONE;
    const errors: unknown[] = [];
    const cancelled = charges.map((charge) =>
      recover(
        () => charge.cancel(),
        (error) => void errors.push(error),
      ),
    );
    return whenReady(allReady(cancelled), () => {
      if (errors.length > 0) throw errors[0];
    });
  }

  /**
   * Whether the request waits, and has not begun. While it waits, it takes no place of `shedLoad`: it uses neither this
   * process nor anything behind it. Its time is measured from its turn.
   */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  set isWaiting(isWaiting: boolean) {
    this.#isWaiting = isWaiting;
    if (isWaiting) this.#pause();
    else if (this.request) resumePermits(this.request);
  }

  #pause(): void {
    if (this.request) pausePermits(this.request);
  }
}
