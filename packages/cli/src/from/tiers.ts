import { hashedCustomer } from '@sluice/config';
import type { ConvertedCustomer, ConvertedTier, LimitSpec } from './conversion.js';
import { isReserved, type Names } from './names.js';

/** A limit that has other numbers for customers who are listed. */
export interface TieredLimit {
  /** The name of the limit: one for all policies, since a tier has one list of limits. */
  readonly name: string;
  /** For customers who are not listed. */
  readonly otherwise: LimitSpec;
  /** By the customer's key. */
  readonly listed: ReadonlyMap<string, LimitSpec>;
}

/** Tiers and who is in them. */
export interface Tiers {
  readonly tiers: ReadonlyMap<string, ConvertedTier>;
  readonly customers: ReadonlyMap<string, ConvertedCustomer>;
}

/** The tier of customers who are not listed. */
export const DEFAULT_TIER = 'default';

/** A limit of a tier that allows everything. */
export const UNLIMITED: LimitSpec = { algorithm: 'unlimited' };

/**
 * Puts customers with the same limits into one tier.
 *
 * @param customers - all customers, also those without numbers of their own
 * @param nameOf - what the tier of a customer is called, if nobody was in it before
 */
export function tiersOf(
  limits: readonly TieredLimit[],
  customers: Iterable<string>,
  nameOf: (customer: string) => string,
  names: Names,
): Tiers {
  const tiers = new Map<string, ConvertedTier>();
  const byContent = new Map<string, string>();
  const tierOf = (specs: readonly LimitSpec[], wanted: string): string => {
    const content = JSON.stringify(specs);
    const known = byContent.get(content);
    if (known !== undefined) return known;
    const name = names.give(wanted, 'tier');
    byContent.set(content, name);
    tiers.set(name, { limits: new Map(limits.map(({ name }, i) => [name, specs[i] as LimitSpec])), notes: [] });
    return name;
  };
  tierOf(
    limits.map(({ otherwise }) => otherwise),
    DEFAULT_TIER,
  );
  const placed = new Map<string, ConvertedCustomer>();
  for (const customer of new Set(customers)) {
    // Nobody is counted by an empty key.
    if (customer === '') continue;
    const specs = limits.map(({ listed, otherwise }) => listed.get(customer) ?? otherwise);
    placed.set(customerName(customer), { tier: tierOf(specs, nameOf(customer)), notes: [] });
  }
  return { tiers, customers: placed };
}

/** A customer whose key looks like a hash, or like a part of JavaScript, is listed by its hash. */
const customerName = (key: string): string =>
  isReserved(key) || key.startsWith('sha256:') ? hashedCustomer(key) : key;
