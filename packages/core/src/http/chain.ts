import type { Decision } from '../values/decision.js';
import { allReady, type Eventual, recover, whenReady } from '../values/eventual.js';
import type { HeaderFields } from './headers/fields.js';
import { type HeaderItem, isEnforced, uniqueName } from './headers/item.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import { Work } from './work.js';

/** Where a policy counts, and under which name. */
export interface Counter {
  readonly store: object;
  readonly policy: string;
}

const isSame = (one: Counter, other: Counter): boolean => one.store === other.store && one.policy === other.policy;

/**
 * The policies that one request has met so far. Each adds its limits to the header fields of those before it, and when one
 * refuses, what the others charged is given back.
 */
export class Chain {
  /** Of the last policy, where an adapter keeps it here and not on the request. */
  reservation: HttpReservation | undefined;
  readonly #items: HeaderItem[] = [];
  readonly #charges: HttpGrantedReservation[] = [];
  /** The fields that the policies have told so far. */
  #told: Readonly<Record<string, string>> | undefined;
  #outdated: readonly string[] | undefined;
  #isWaiting = false;
  #holdsSlots = false;
  #work: Work | undefined;
  /** The policies that have counted the request: one as a rule. */
  #first: Counter | undefined;
  #others: Counter[] | undefined;

  /** Notes a policy that counts the request; says whether one of its name did before in the same store. */
  isCountedAgain(counter: Counter): boolean {
    if (this.#first === undefined) {
      this.#first = counter;
      return false;
    }
    if (isSame(this.#first, counter) || this.#others?.some((other) => isSame(other, counter))) return true;
    this.#others ??= [];
    this.#others.push(counter);
    return false;
  }

  /**
   * Adds a decision; returns its own items, for as long as no other is added. Of a policy that sends no fields, later ones
   * tell nothing either.
   */
  add(decision: Decision, sendsFields: boolean): readonly HeaderItem[] {
    const items = sendsFields ? this.#items : [];
    const first = items.length;
    for (const verdict of decision.verdicts) {
      if (isEnforced(verdict)) items.push({ name: uniqueName(verdict.name, decision.policy, items), verdict });
    }
    return first === 0 ? items : items.slice(first);
  }

  /**
   * The fields that the response now has. Afterwards `outdated` says which it has no longer.
   *
   * @param names - in lower case, of all fields that the policy tells at one time or another.
   */
  fields(fieldsOf: HeaderFields, names: ReadonlySet<string>): Record<string, string> {
    if (this.#items.length === 0) return {};
    const fields = fieldsOf(this.#items);
    const earlier = this.#told;
    this.#told = earlier ? { ...earlier, ...fields } : fields;
    if (earlier) this.#outdate(Object.keys(earlier), fields, names);
    return fields;
  }

  /** The names of fields that an earlier policy told, of a limit that is not the one to tell of any more. */
  get outdated(): readonly string[] | undefined {
    return this.#outdated;
  }

  #outdate(earlier: readonly string[], fields: Readonly<Record<string, string>>, names: ReadonlySet<string>): void {
    const outdated = earlier.filter((name) => names.has(name.toLowerCase()) && !Object.hasOwn(fields, name));
    this.#outdated = outdated.length > 0 ? outdated : undefined;
  }

  charged(reservation: HttpGrantedReservation): void {
    this.#charges.push(reservation);
    if (reservation.holdsSlot) this.#holdsSlots = true;
  }

  /** Whether a policy has given the request a slot, so that it matters when its work ends. */
  get holdsSlots(): boolean {
    return this.#holdsSlots;
  }

  /** What goes on for the request. */
  get work(): Work {
    this.#work ??= new Work();
    return this.#work;
  }

  /** Gives back what was charged before, each charge once. The first error is thrown when all of them were tried. */
  cancel(): Eventual<unknown> {
    if (this.#charges.length === 0) return undefined;
    const errors: unknown[] = [];
    const cancelled = this.#charges.splice(0).map((charge) =>
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

/**
 * Where a request carries its chain: the same for all copies of this package in a process, such as one that was imported and
 * one that was required. A WeakMap of requests would cost the garbage collector more than all the rest does.
 */
const CHAIN = Symbol.for('sluice.chain');

/** Whose chain a list carries: a copy of a request has the same list. */
const OWNER = Symbol.for('sluice.chain.owner');

interface Bearer {
  [CHAIN]?: Chain;
  [OWNER]?: object;
}

/**
 * What of a request carries its chain. Express gives each request a hidden class of its own, which a further property makes
 * anew, at the cost of a dozen decisions; the list that Node has of its header fields is an array like any other, unless
 * somebody has frozen it.
 */
function bearerOf(request: Bearer & { readonly rawHeaders?: Bearer | null }): Bearer {
  const { rawHeaders } = request;
  if (typeof rawHeaders !== 'object' || rawHeaders === null) return request;
  if (rawHeaders[OWNER] === undefined && Object.isExtensible(rawHeaders)) rawHeaders[OWNER] = request;
  return rawHeaders[OWNER] === request ? rawHeaders : request;
}

/** The chain of a request, for as long as the request lives. */
export function chainOf(request: object): Chain {
  const bearer = bearerOf(request);
  bearer[CHAIN] ??= new Chain();
  return bearer[CHAIN];
}

/** The chain of a request that has met a policy. */
export function knownChainOf(request: object): Chain | undefined {
  return bearerOf(request)[CHAIN];
}

/** Makes a request meet its policies as another does, for which it stands: they have one chain. */
export function joinChain(request: object, other: object): void {
  bearerOf(request)[CHAIN] = chainOf(other);
}
