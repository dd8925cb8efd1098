import type { Decision } from '../decision.js';
import { allReady, type Eventual } from '../limiter/answer.js';
import { isTighter } from '../limiter/decide.js';
import type { GrantedReservation } from '../limiter/reservation.js';
import { type HeaderFields, type HeaderItem, uniqueName } from './header-fields.js';

/**
 * The policies that one request has met so far. Each adds its limits to the header fields of those before it, and when one
 * refuses, what the others charged is given back.
 */
export class Chain {
  readonly #items: HeaderItem[] = [];
  readonly #charges: GrantedReservation[] = [];

  /** Adds a decision; returns its own items and the fields that the response now has. */
  add(decision: Decision, fieldsOf: HeaderFields): { items: readonly HeaderItem[]; fields: Record<string, string> } {
    const first = this.#items.length;
    for (const verdict of decision.verdicts) {
      this.#items.push({ name: uniqueName(verdict.name, decision.policy, this.#items), verdict });
    }
    return { items: this.#items.slice(first), fields: fieldsOf(this.#items, this.#tightest()) };
  }

  charged(reservation: GrantedReservation): void {
    this.#charges.push(reservation);
  }

  /** Gives back what was charged before, each charge once. */
  cancel(): Eventual<unknown> {
    return this.#charges.length === 0 ? undefined : allReady(this.#charges.splice(0).map((charge) => charge.cancel()));
  }

  #tightest(): HeaderItem {
    const enforced = this.#items.filter(({ verdict }) => !verdict.shadow);
    return (enforced.length > 0 ? enforced : this.#items).reduce((tightest, item) =>
      isTighter(item.verdict, tightest.verdict) ? item : tightest,
    );
  }
}

const chains = new WeakMap<object, Chain>();

/** The chain of a request, for as long as the request lives. */
export function chainOf(request: object): Chain {
  let chain = chains.get(request);
  if (!chain) {
    chain = new Chain();
    chains.set(request, chain);
  }
  return chain;
}
