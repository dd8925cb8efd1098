import type { Key, Limit } from '@sluice/core';

/** Whether limits refuse, only count (`shadow`), or are not asked at all (`off`). */
export type Enforcement = 'on' | 'shadow' | 'off';

/**
 * A policy file that was read and checked: every name is known, every duration is in milliseconds, and every limit is one
 * that the core accepts.
 */
export interface PolicyFile {
  readonly enforcement: Enforcement;
  /** The revision that this file may replace although the guard would reject the change. */
  readonly accept: string | undefined;
  /** How each named key is read from a request. */
  readonly keys: ReadonlyMap<string, KeyRule>;
  /** The limits of each tier, by the name of the limit. */
  readonly tiers: ReadonlyMap<string, ReadonlyMap<string, Limit>>;
  /** The customers, by the value of their key, or by `sha256:` and its hash in hexadecimal. */
  readonly customers: ReadonlyMap<string, CustomerRule>;
  readonly policies: ReadonlyMap<string, PolicyRule>;
}

/** Where a key comes from: a header field, the address, code, or several keys together. */
export type KeyRule =
  | { readonly from: 'header'; readonly header: string }
  | { readonly from: 'ip'; readonly ipv6Subnet: number }
  | { readonly from: 'code' }
  | { readonly from: 'everyone' };

/** What holds for one customer. */
export interface CustomerRule {
  readonly tier: string | undefined;
  /** The customer's own limits, by the name of the limit. */
  readonly overrides: ReadonlyMap<string, Override>;
  readonly block: { readonly reason: string | undefined; readonly untilMs: number } | undefined;
}

/** A limit of one customer, in place of that of the tier. */
export interface Override {
  readonly limit: Limit;
  /** When it ends, in Unix milliseconds; Infinity if it does not. */
  readonly untilMs: number;
  readonly reason: string | undefined;
}

/** One policy. */
export interface PolicyRule {
  readonly name: string;
  /** The requests that it is for; undefined for all. Adapters choose a policy by its name instead. */
  readonly match: { readonly path: string | undefined; readonly methods: readonly string[] | undefined } | undefined;
  /** The names of the keys that together are the key of its limits. */
  readonly key: readonly string[];
  /** What happens to a request whose key no customer has. */
  readonly unknownCustomer: 'address' | 'refuse' | undefined;
  readonly tier: TierRule | undefined;
  readonly limits: readonly LimitRule[];
  readonly cost: CostRule;
  readonly onStoreError: 'local' | 'allow' | 'deny';
  /** The steps of its rollout, with the time at which each begins. Empty if it is enforced for all keys. */
  readonly rollout: readonly RolloutStep[];
  readonly brake: Brake | undefined;
}

/** Where the tier of a request comes from. */
export type TierRule =
  | { readonly from: 'customers' | 'code'; readonly default: string }
  | {
      readonly from: 'header';
      readonly header: string;
      readonly default: string;
      readonly trustedFrom: readonly string[];
    };

/** One limit of a policy. */
export interface LimitRule {
  readonly name: string;
  /** The limit; undefined if the tier has it. */
  readonly limit: Limit | undefined;
  /** The names of its keys; undefined for those of the policy. */
  readonly key: readonly string[] | undefined;
  readonly cost: CostRule | undefined;
  readonly enforce: number | 'mark' | undefined;
}

/** What a request costs. */
export type CostRule =
  | { readonly from: 'constant'; readonly units: number }
  | { readonly from: 'code'; readonly min: number; readonly max: number; readonly default: number }
  | {
      readonly from: 'header';
      readonly header: string;
      readonly min: number;
      readonly max: number;
      readonly default: number;
      readonly trustedFrom: readonly string[];
    };

/** From a time on, the policy is enforced for a share of keys. */
export interface RolloutStep {
  readonly fromMs: number;
  /** From 0 to 1. */
  readonly enforce: number;
}

/** Ends the enforcement of a rollout step that refuses too many keys. */
export interface Brake {
  /** The share of distinct keys refused at which it acts, from 0 to 1. */
  readonly refused: number;
  /** Over which time. */
  readonly overMs: number;
}

/** A key that a request has in a policy, by the name of the key. */
export type NamedKeys = Readonly<Record<string, Key | undefined>>;
