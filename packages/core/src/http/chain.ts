import type { Decision } from '../decision.js';
import { allReady, type Eventual } from '../limiter/answer.js';
import { isTighter } from '../limiter/decide.js';
import type { GrantedReservation } from '../limiter/reservation.js';
import { isAdvertised } from './header-fields/header-item.js';
import { type HeaderFields, type HeaderItem, uniqueName } from './header-fields.js';

/**
 * The policies that one request has met so far. Each adds its limits to the header fields of those before it, and when one
 * refuses, what the others charged is given back.
 */
export class Chain {
  readonly #items: HeaderItem[] = [];
  readonly #charges: GrantedReservation[] = [];
  #isWaiting = false;

  /**
   * Adds a decision; returns its own items and the fields that the response now has. Of a policy that sends no fields, later
   * ones tell nothing either.
   */
  add(
    decision: Decision,
    fieldsOf: HeaderFields,
    sendsFields: boolean,
  ): { items: readonly HeaderItem[]; fields: Record<string, string> } {
    const items = sendsFields ? this.#items : [];
    const first = items.length;
    for (const verdict of decision.verdicts) {
      if (isAdvertised(verdict)) items.push({ name: uniqueName(verdict.name, decision.policy, items), verdict });
    }
    return { items: items.slice(first), fields: items.length === 0 ? {} : fieldsOf(items, items.reduce(tighter)) };
  }

  charged(reservation: GrantedReservation): void {
    this.#charges.push(reservation);
  }

  /** Gives back what was charged before, each charge once. */
  cancel(): Eventual<unknown> {
    return this.#charges.length === 0 ? undefined : allReady(this.#charges.splice(0).map((charge) => charge.cancel()));
  }

  /**
   * Makes the request wait from now on. Until its turn has come nothing of it has happened: when the wait is given up,
   * neither have its charges.
   */
  turn(sleep: (gone: AbortSignal) => Promise<void>): (gone: AbortSignal) => Promise<void> {
    this.#isWaiting = true;
    return async (gone) => {
      try {
        await sleep(gone);
      } catch (reason) {
        await this.cancel();
        throw reason;
      }
      this.#isWaiting = false;
    };
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }
}

const tighter = (one: HeaderItem, other: HeaderItem): HeaderItem =>
  isTighter(other.verdict, one.verdict) ? other : one;

/**
 * Where a request carries its chain: the same for all copies of this package in a process, such as one that was imported and
 * one that was required. A WeakMap of requests would cost the garbage collector more than all the rest does.
 */
const CHAIN = Symbol.for('sluice.chain');

/** The chain of a request, for as long as the request lives. */
export function chainOf(request: object): Chain {
  const bearer: { [CHAIN]?: Chain } = request;
  bearer[CHAIN] ??= new Chain();
  return bearer[CHAIN];
}

/** Makes a request meet its policies as another does, for which it stands: they have one chain. */
export function joinChain(request: object, other: object): void {
  const bearer: { [CHAIN]?: Chain } = request;
  bearer[CHAIN] = chainOf(other);
}
