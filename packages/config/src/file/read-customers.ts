import type { Limit } from '@sluice/core';
import { ipKey } from '@sluice/core/http';
import { nearest, show } from '@sluice/core/values';
import { untilMs } from './amounts.js';
import { hashedCustomer, isHashed, normalCustomerName } from './customer-name.js';
import type { MistakeList } from './mistake-list.js';
import { isReserved, RESERVED, TWICE } from './nodes.js';
import type { Path } from './path.js';
import type { CustomerRule, Override } from './policy-file.js';
import { type LimitWords, limitWordsOf, readLimit } from './read-limit.js';
import { readTierName } from './read-tier.js';
import type { CustomerInput, LimitInput, OverrideInput } from './schema.js';
import type { Sound } from './structure.js';

/** What the limits of customers are made of. */
export interface Bases {
  readonly tiers: readonly string[];
  /** The names of all limits of policies that ask who the customer is. */
  readonly limits: ReadonlySet<string>;
  /** Those of them that no override can replace, and the option that forbids it. */
  readonly fixed: ReadonlyMap<string, string>;
  /** The bits of IPv6 addresses that name a customer, if all customers are named by addresses. */
  readonly ipv6Subnet: number | undefined;
  /**
   * Returns the words that a limit has for customers of a tier in each of the policies; undefined if some of them have a mistake.
   *
   * @param tier - undefined for customers of no own tier
   */
  wordsOf(limit: string, tier: string | undefined): readonly Sound<LimitInput>[] | undefined;
}

const NO_OVERRIDES: ReadonlyMap<string, Override> = new Map();

/** Reads customers one by one. Those who have only a tier share one object for each tier. */
export class CustomerReader {
  readonly #bases: Bases;
  readonly #mistakes: MistakeList;
  readonly #byTier = new Map<string, CustomerRule>();
  readonly #customers = new Map<string, CustomerRule>();
  #hashed = 0;

  constructor(bases: Bases, mistakes: MistakeList) {
    this.#bases = bases;
    this.#mistakes = mistakes;
  }

  /** Reads a customer whose only word is `tier`. */
  addPlain(written: string, tier: string): void {
    const path = ['customers', written];
    const name = this.#newName(written, path);
    const rule = this.#byTier.get(tier) ?? this.#ruleOfTier(tier, [...path, 'tier']);
    if (name !== undefined) this.#customers.set(name, rule);
  }

  /** Reads a customer with any words. */
  add(written: string, input: Sound<CustomerInput>): void {
    const { tier, overrides, block, reason, until } = input;
    const path = ['customers', written];
    const isPlain = overrides === undefined && !block && reason === undefined && until === undefined;
    if (tier !== undefined && isPlain && !this.#mistakes.isDamaged(path)) {
      this.addPlain(written, tier);
      return;
    }
    const name = this.#newName(written, path);
    if (isPlain && tier === undefined && !this.#mistakes.isDamaged(path)) {
      this.#mistakes.add(path, 'has no effect: add tier, overrides or block: true, or remove it', {
        at: 'key',
        code: 'SLUICE_POLICY_FILE',
      });
    }
    for (const word of ['reason', 'until'] as const) {
      if (input[word] === undefined || block || this.#mistakes.isDamaged([...path, 'block'])) continue;
      const rule = 'belongs to a block or to one of the overrides: add block: true, or move it there';
      this.#mistakes.add([...path, word], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
    }
    const known = tier && readTierName(tier, [...path, 'tier'], this.#bases.tiers, this.#mistakes);
    const ends = untilMs(until, [...path, 'until'], this.#mistakes);
    const rule: CustomerRule = {
      tier: known,
      overrides: overrides === undefined ? NO_OVERRIDES : this.#overridesOf(overrides, known, [...path, 'overrides']),
      block: block ? { reason, untilMs: ends } : undefined,
    };
    if (name !== undefined) this.#customers.set(name, rule);
  }

  /** Returns all customers, after a look at those who are listed by value and by hash, too. */
  finish(): ReadonlyMap<string, CustomerRule> {
    if (this.#hashed > 0) {
      for (const name of this.#customers.keys()) {
        const hash = isHashed(name) ? undefined : hashedCustomer(name);
        if (hash === undefined || !this.#customers.has(hash)) continue;
        this.#refuse(['customers', name], `is the customer ${hash}, too: remove one of the two`);
      }
    }
    return this.#customers;
  }

  #newName(written: string, path: Path): string | undefined {
    if (isReserved(written)) {
      this.#mistakes.add(path, RESERVED, { at: 'key', code: 'SLUICE_POLICY_FILE' });
      return undefined;
    }
    const name = normalCustomerName(written);
    if (name === undefined || name === '') {
      const rule =
        name === '' ? 'must not be empty' : 'must have 64 hexadecimal digits after sha256:, as sha256sum prints them';
      this.#mistakes.add(path, rule, { at: 'key' });
      return undefined;
    }
    const { ipv6Subnet } = this.#bases;
    const counted = ipv6Subnet === undefined || isHashed(name) ? name : countedAddress(name, ipv6Subnet);
    if (counted !== name) this.#refuse(path, `is counted as ${counted}: write this as the name`);
    if (this.#customers.has(name)) {
      const rule = name === written ? TWICE : `is the customer ${name}, too: remove one of the two`;
      this.#refuse(path, rule);
    }
    if (name !== written || isHashed(name)) this.#hashed += 1;
    return name;
  }

  #refuse(path: Path, rule: string): void {
    this.#mistakes.add(path, rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  }

  #ruleOfTier(tier: string, path: Path): CustomerRule {
    const known = readTierName(tier, path, this.#bases.tiers, this.#mistakes);
    const rule: CustomerRule = { tier: known, overrides: NO_OVERRIDES, block: undefined };
    if (known !== undefined) this.#byTier.set(tier, rule);
    return rule;
  }

  #overridesOf(
    inputs: NonNullable<Sound<CustomerInput>['overrides']>,
    tier: string | undefined,
    path: Path,
  ): ReadonlyMap<string, Override> {
    const overrides = new Map<string, Override>();
    for (const [name, input] of Object.entries(inputs)) {
      if (input === undefined) continue;
      const limit = this.#overriddenLimit(name, input, tier, [...path, name]);
      const ends = untilMs(input.until, [...path, name, 'until'], this.#mistakes);
      if (limit !== undefined) overrides.set(name, { limit, untilMs: ends, reason: input.reason });
    }
    if (Object.keys(inputs).length === 0) {
      this.#mistakes.add(path, 'must have at least one limit, or be left out', { at: 'key' });
    }
    return overrides;
  }

  /** Makes the limit of an override. The words that it leaves out come from the limit that it replaces. */
  #overriddenLimit(name: string, input: Sound<OverrideInput>, tier: string | undefined, path: Path): Limit | undefined {
    const words = limitWordsOf(input);
    if (!this.#bases.limits.has(name)) {
      // A limit that could not be read may have any name.
      if (!this.#mistakes.isDamaged(['policies'])) this.#refuseUnknownLimit(name, path);
      return undefined;
    }
    const option = this.#bases.fixed.get(name);
    if (option !== undefined) {
      const rule = `cannot be overridden, because it has ${option} and is the same for all: remove this`;
      this.#mistakes.add(path, rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
      return undefined;
    }
    if (words === undefined) {
      if (!this.#mistakes.isDamaged(path)) {
        this.#mistakes.add(path, 'must say a number, such as limit: 1200', { at: 'missing' });
      }
      return undefined;
    }
    const bases = this.#bases.wordsOf(name, tier);
    if (bases === undefined) return undefined;
    const [first, second] = distinct(bases.map((base) => overlaid(base, words)));
    if (second === undefined) return readLimit(first ?? words, path, this.#mistakes);
    const rule = `would be ${JSON.stringify(first)} in one policy and ${JSON.stringify(second)} in another one: write the whole limit, with its algorithm`;
    this.#mistakes.add(path, rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
    return undefined;
  }

  #refuseUnknownLimit(name: string, path: Path): void {
    const { limits } = this.#bases;
    const near = nearest(name, limits);
    const all =
      limits.size === 0 ? 'no policy with tier: { from: customers } has one' : `these are ${[...limits].join(', ')}`;
    const rule = `must be the name of a limit whose policy asks for customers: ${near === undefined ? all : `use ${near}`}, got ${show(name)}`;
    this.#mistakes.add(path, rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  }
}

/** Returns the text by which an address is counted. A text that is already such a subnet stays as it is. */
function countedAddress(name: string, ipv6Subnet: number): string {
  const isSubnet = name.endsWith(`/${ipv6Subnet}`);
  const [, counted] = ipKey(isSubnet ? name.slice(0, name.lastIndexOf('/')) : name, ipv6Subnet);
  return counted;
}

/** Returns the words of a limit with others in their place. Another algorithm takes nothing over. */
function overlaid(base: Sound<LimitInput>, words: LimitWords): LimitWords {
  if (base === 'unlimited') return words;
  const isAnother = words.algorithm !== undefined && words.algorithm !== base.algorithm;
  return isAnother ? words : { ...base, ...words };
}

function distinct(limits: readonly LimitWords[]): readonly LimitWords[] {
  const seen = new Map(limits.map((words) => [JSON.stringify(words), words]));
  return [...seen.values()];
}
