// Why it is so: core/docs/why/http-steps.md

import { givenBack, type HeaderItem } from '../headers/item.js';
import { type Counter, isSameCounter, type PassedPolicy } from './passed-policy.js';

const NONE: readonly never[] = [];

/** A policy that sends fields, and how many items it and those before it state. */
type Stating = readonly [policy: PassedPolicy, count: number];

/**
 * The limits that the response to a request states: those of the first policy that sends fields, and of each later one.
 *
 * Its lists are replaced and never pushed to, since most have one element: see "Objects and fields" in `packages/bench/docs/v8.md`.
 */
export class StatedLimits {
  // Declared, and set by the constructor: a field of a class is set twice.
  /** The limits of all policies so far, in their order. */
  declare items: readonly HeaderItem[];
  /** The items of charges that are given back if a policy refuses. */
  declare private charged: readonly HeaderItem[];
  /** The first policy, and how many items it stated. Undefined if only a call before this one has stated limits: see `without`. */
  declare private first: PassedPolicy | undefined;
  declare private firstCount: number;
  /** All later ones, each with the number of items that it and those before it state. */
  declare private later: readonly Stating[];
  /** The names of the fields that the policies have set so far; undefined if only the first has set some. */
  declare private setNames: readonly string[] | undefined;

  /**
   * @param own - the limits of the first policy
   * @param isCharged - whether they have been charged
   */
  constructor(first: PassedPolicy | undefined, own: readonly HeaderItem[], isCharged: boolean) {
    this.items = own;
    this.charged = isCharged ? own : NONE;
    this.first = first;
    this.firstCount = own.length;
    this.later = NONE;
    this.setNames = undefined;
  }

  /**
   * Adds the limits of a further policy. Returns the names of fields that an earlier policy set, for a limit that is no longer the one
   * to state; undefined if there are none.
   */
  add(policy: PassedPolicy, own: readonly HeaderItem[], isCharged: boolean): readonly string[] | undefined {
    const earlier = this.#names;
    this.#append(policy, own);
    if (isCharged) this.charged = [...this.charged, ...own];
    const now = policy.fields.namesFor(this.items);
    const outdated = earlier.filter((name) => policy.names.has(name.toLowerCase()) && !now.includes(name));
    this.setNames = [...new Set([...earlier, ...now])];
    return outdated.length > 0 ? outdated : undefined;
  }

  /**
   * Returns what a further call about the same request states at first: the limits of all policies but this one, whose limits are
   * stated as the new call finds them. The fields that the policies have set so far stay known.
   */
  without(counter: Counter): StatedLimits {
    const others = new StatedLimits(undefined, NONE, false);
    others.setNames = this.#names;
    let from = 0;
    for (const [policy, count] of this.#policies) {
      if (!isSameCounter(policy.counter, counter)) others.#append(policy, this.items.slice(from, count));
      from = count;
    }
    return others;
  }

  /**
   * States the limits of the charges so far as they are after a refusal has given the charges back. Returns the fields that the
   * policies so far have set, with the new numbers; undefined if nothing changes.
   */
  restate(): Readonly<Record<string, string>> | undefined {
    const charged = this.charged;
    if (charged.length === 0 || this.first === undefined) return undefined;
    this.charged = NONE;
    this.items = this.items.map((item) => (charged.includes(item) ? givenBack(item) : item));
    const fields = this.first.fields.record(this.items.slice(0, this.firstCount));
    for (const [policy, count] of this.later) {
      // As each policy has done it: what it does not state any more is gone.
      for (const name of Object.keys(fields)) if (policy.names.has(name.toLowerCase())) delete fields[name];
      Object.assign(fields, policy.fields.record(this.items.slice(0, count)));
    }
    return fields;
  }

  #append(policy: PassedPolicy, own: readonly HeaderItem[]): void {
    this.items = [...this.items, ...own];
    if (this.first === undefined) {
      this.first = policy;
      this.firstCount = own.length;
    } else this.later = [...this.later, [policy, this.items.length]];
  }

  get #policies(): readonly Stating[] {
    return this.first ? [[this.first, this.firstCount], ...this.later] : NONE;
  }

  /** The names of the fields that the policies so far have set. */
  get #names(): readonly string[] {
    return this.setNames ?? this.first?.fields.namesFor(this.items) ?? NONE;
  }
}
