import { createHash } from 'node:crypto';
import type { CustomerRule, PolicyFile } from '../file/policy-file.js';

const HASHED = 'sha256:';

/** The customers of a file, by the values of their keys. */
export class Customers {
  readonly #rules: ReadonlyMap<string, CustomerRule>;
  readonly #isHashed: boolean;
  /** The names of the limits that a customer has for itself. */
  readonly overridden: ReadonlySet<string>;
  /** Whether a customer has a tier. */
  readonly haveTiers: boolean;
  /** Whether a customer is blocked. */
  readonly haveBlocks: boolean;

  private constructor(rules: ReadonlyMap<string, CustomerRule>) {
    const overridden = new Set<string>();
    let [isHashed, haveTiers, haveBlocks] = [false, false, false];
    for (const [name, { overrides, tier, block }] of rules) {
      isHashed ||= name.startsWith(HASHED);
      haveTiers ||= tier !== undefined;
      haveBlocks ||= block !== undefined;
      for (const limit of overrides.keys()) overridden.add(limit);
    }
    this.#rules = rules;
    this.#isHashed = isHashed;
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
    if (value.startsWith(HASHED)) return this.#byHash(value);
    return this.#rules.get(value) ?? this.#byHash(value);
  }

  #byHash(value: string): CustomerRule | undefined {
    if (!this.#isHashed) return undefined;
    return this.#rules.get(HASHED + createHash('sha256').update(value).digest('hex'));
  }
}

const KNOWN = new WeakMap<PolicyFile['customers'], Customers>();
