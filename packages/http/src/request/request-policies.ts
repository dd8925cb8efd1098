// Why it is so: core/docs/why/http-steps.md

import { allReady, type Eventual, recover, whenReady } from '@sluice/core/src/values/eventual';
import { givenBack, type HeaderItem, isAdvertised, namedApart } from '../headers/item.js';
import { pausePermits, resumePermits } from './held-permits.js';
import type { HttpGrantedReservation } from './http-reservation.js';
import { type Counter, isSameCounter, type PassedPolicy } from './passed-policy.js';
import { StatedLimits } from './stated-limits.js';
import { Work } from './work.js';

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
 * The policies that one request has passed so far, and their charges. Each policy adds its limits to the header fields of those before
 * it: see `StatedLimits`. If one refuses, the charges of the others are given back.
 *
 * A policy is part of it once. If an application asks a policy again about the same object, that is a further call with
 * `RequestPolicies` of its own: the charges of earlier calls stay, whatever follows. See `enterPolicy`.
 */
export class RequestPolicies {
  /** The request that these policies decide about first. Others may share it: see `joinRequestPolicies`. */
  readonly request: object | undefined;
  /** Whether a policy has given the request a slot. Then it matters when the work of the request ends. */
  holdsSlots = false;
  /** The policies that have decided about the request: usually one. */
  #first: Counter | undefined;
  #others: readonly Counter[] = NONE;
  #repeats = false;
  #charges: readonly HttpGrantedReservation[] = NONE;
  #isRefused = false;
  /** Whether a request passed a limit of a policy that only marks it. */
  #isExceeded = false;
  /** Undefined while no policy has stated a limit. */
  #stated: StatedLimits | undefined;
  #work: Work | undefined;
  #isWaiting = false;

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
    if (isSameCounter(this.#first, counter) || this.#others.some((other) => isSameCounter(other, counter)))
      return false;
    this.#others = [...this.#others, counter];
    return true;
  }

  /** Says that a policy may count the request more than once: each time by other keys. */
  allowRepeats(): void {
    this.#repeats = true;
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
    policies.#stated = this.#stated?.without(counter);
    return policies;
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
    if (hasNumbers) this.#state(decision);
    if (!reservation.allowed) return undefined;
    if (this.#isRefused) return reservation.cancel();
    // Replaced and not pushed to: see "Objects and fields" in `packages/bench/docs/v8.md`.
    this.#charges = this.#charges.length === 0 ? [reservation] : [...this.#charges, reservation];
    return undefined;
  }

  /** If the policy sends no fields, later ones do not state its limits. */
  #state(decision: StatedDecision): void {
    const { compiled, reservation } = decision;
    const { policy, verdicts, allowed } = reservation;
    const advertised = verdicts.every(isAdvertised) ? verdicts : verdicts.filter(isAdvertised);
    decision.ownItems = advertised;
    if (!compiled.statesLimits) return;
    const before = this.#stated;
    const named = before ? namedApart(advertised, policy, before.items) : advertised;
    const own = allowed && this.#isRefused ? named.map(givenBack) : named;
    const isCharged = allowed && !this.#isRefused;
    decision.ownItems = own;
    decision.items = own;
    if (!before) {
      this.#stated = new StatedLimits(compiled, own, isCharged);
      return;
    }
    decision.outdated = before.add(compiled, own, isCharged);
    decision.items = before.items;
  }

  /** See `StatedLimits`. */
  restate(): Readonly<Record<string, string>> | undefined {
    return this.#stated?.restate();
  }

  /** The work of the request: its handler, and promises. */
  get work(): Work {
    this.#work ??= new Work();
    return this.#work;
  }

  /** Notes that a policy refuses the request, and gives back the charges of all others: see `cancel`. */
  refuse(): Eventual<unknown> {
    this.#isRefused = true;
    return this.cancel();
  }

  /**
   * Gives back the charges of the policies so far, each once. Tries all of them, and then throws the first error. The request
   * goes no further: it takes no place of `shedLoad` any more, and its time says nothing about the server.
   */
  cancel(): Eventual<unknown> {
    pausePermits(this.request);
    const charges = this.#charges;
    if (charges.length === 0) return undefined;
    this.#charges = NONE;
    return cancelAll(charges);
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
    if (isWaiting) pausePermits(this.request);
    else resumePermits(this.request);
  }
}

function cancelAll(charges: readonly HttpGrantedReservation[]): Eventual<unknown> {
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
