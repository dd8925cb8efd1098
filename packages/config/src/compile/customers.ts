import { hashedCustomer, isHashed } from '../file/customer-name.js';
import type { CustomerRule, PolicyFile } from '../file/policy-file.js';

/** The customers of a file, by the values of their keys. */
export class Customers {
  readonly #rules: ReadonlyMap<string, CustomerRule>;
  readonly #haveHashes: boolean;
  /** The names of the limits that a customer has for itself. */
  readonly overridden: ReadonlySet<string>;
  /** Whether a customer has a tier. */
  readonly haveTiers: boolean;
  /** Whether a customer is blocked. */
  readonly haveBlocks: boolean;

  private constructor(rules: ReadonlyMap<string, CustomerRule>) {
    const overridden = new Set<string>();
    let [haveHashes, haveTiers, haveBlocks] = [false, false, false];
    for (const [name, { overrides, tier, block }] of rules) {
      haveHashes ||= isHashed(name);
      haveTiers ||= tier !== undefined;
      haveBlocks ||= block !== undefined;
      for (const limit of overrides.keys()) overridden.add(limit);
    }
    this.#rules = rules;
    this.#haveHashes = haveHashes;
    this.overridden = overridden;
    this.haveTiers = haveTiers;
    this.haveBlocks = haveBlocks;
  }

  /** Returns the customers of a file. They are looked through once. */
  static of({ customers }: PolicyFile): Customers {
    let known = KNOWN.get(customers);
    if (!known) {
      known = new Customers(customers);
      KNOWN.set(customers, known);
    }
    return known;
  }

  /**
   * Returns the customer whose key has this value. A value that looks like the hash in the file is no key: otherwise whoever
   * reads the file could be that customer.
   */
  find(value: string): CustomerRule | undefined {
    if (isHashed(value)) return this.#byHash(value);
    return this.#rules.get(value) ?? this.#byHash(value);
  }

  #byHash(value: string): CustomerRule | undefined {
    return this.#haveHashes ? this.#rules.get(hashedCustomer(value)) : undefined;
  }
}

const KNOWN = new WeakMap<PolicyFile['customers'], Customers>();
