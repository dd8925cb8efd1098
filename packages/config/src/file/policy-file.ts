import type { Limit } from '@sluice/core';

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
  /** How each named key is read from a request. `address` and `everyone` are always among them. */
  readonly keys: ReadonlyMap<string, KeyRule>;
  /** The limits of each tier, by the name of the limit. Every tier has every tiered limit. */
  readonly tiers: ReadonlyMap<string, ReadonlyMap<string, Limit>>;
  /**
   * The customers, by the value of their key, or by `sha256:` and its hash in lower-case hexadecimal. Customers who have
   * only a tier share one object.
   */
  readonly customers: ReadonlyMap<string, CustomerRule>;
  readonly policies: ReadonlyMap<string, PolicyRule>;
}

/** Where a key comes from: a header field, the address, code, or one key for all requests. */
export type KeyRule =
  | { readonly from: 'header'; readonly header: string }
  | { readonly from: 'ip'; readonly ipv6Subnet: number }
  | { readonly from: 'code' }
  | { readonly from: 'everyone' };

/** What holds for one customer. A block comes first, then overrides, then the tier. */
export interface CustomerRule {
  readonly tier: string | undefined;
  /** The customer's own limits, by the name of the limit. */
  readonly overrides: ReadonlyMap<string, Override>;
  readonly block: { readonly reason: string | undefined; readonly untilMs: number } | undefined;
}

/** A limit of one customer, in place of that of the tier or the policy. */
export interface Override {
  /** The whole limit: what the file leaves out comes from the customer's tier, or from the policy. */
  readonly limit: Limit;
  /** When it ends, in Unix milliseconds; Infinity if it does not. */
  readonly untilMs: number;
  readonly reason: string | undefined;
}

/** One policy. */
export interface PolicyRule {
  readonly name: string;
  /** The requests that it is for; undefined for all. Adapters choose a policy by its name instead. */
  readonly match:
    | { readonly path: readonly string[] | undefined; readonly methods: readonly string[] | undefined }
    | undefined;
  /** Addresses and CIDR ranges that are not counted. */
  readonly allowList: readonly string[];
  /** Addresses and CIDR ranges that are refused. */
  readonly denyList: readonly string[];
  /** The names of the keys that together are the key of its limits: at least one. */
  readonly key: readonly string[];
  /** What happens to a request whose key no customer has; undefined if the policy does not ask who the customer is. */
  readonly unknownCustomer: 'address' | 'refuse' | undefined;
  readonly tier: TierRule | undefined;
  readonly limits: readonly LimitRule[];
  readonly cost: CostRule;
  readonly onStoreError: 'local' | 'allow' | 'deny';
  /** How far the policy is enforced; undefined: for all keys, or as the rollout says. */
  readonly enforce: number | 'mark' | undefined;
  /** The steps of its rollout, with the time at which each begins. Empty if it has none. */
  readonly rollout: readonly RolloutStep[];
  readonly brake: Brake | undefined;
}

/**
 * Where the tier of a request comes from. With `customers`, the first key of the policy says who the customer is: blocks,
 * overrides and tiers of `customers` hold for this policy.
 */
export type TierRule =
  | {
      readonly from: 'customers' | 'code';
      /** The tier of everybody else; undefined only if no limit of the policy has a tier. */
      readonly default: string | undefined;
    }
  | {
      readonly from: 'header';
      readonly header: string;
      readonly default: string | undefined;
      /** Addresses and CIDR ranges: the field counts only in requests that come from them. */
      readonly trustedFrom: readonly string[];
    };

/** One limit of a policy. Exactly one of `limit`, `tiered` and `variants` says its numbers. */
export interface LimitRule {
  readonly name: string;
  /** The limit; undefined if it is tiered or has variants. */
  readonly limit: Limit | undefined;
  /** Whether each tier has the numbers of this limit. */
  readonly tiered: boolean;
  /** The limits between which keys are divided; undefined if it has none. */
  readonly variants: readonly [Variant, Variant, ...Variant[]] | undefined;
  /** The names of its keys; undefined for those of the policy. */
  readonly key: readonly string[] | undefined;
  readonly cost: CostRule | undefined;
  /** How far this limit is enforced, whatever the policy or its rollout says; undefined: as they say. */
  readonly enforce: number | 'mark' | undefined;
  readonly quotaUnit: string | undefined;
  /** The part of the limit by which it may be exceeded. */
  readonly tolerance: number | undefined;
  readonly slowDown: SlowDownRule | undefined;
  readonly guarantee: GuaranteeRule | undefined;
}

/** One of the limits between which keys are divided. */
export interface Variant {
  readonly name: string;
  /** The share of keys, from 0 to 1. The shares of all variants add up to 1. */
  readonly share: number;
  readonly limit: Limit;
}

/** How a limit delays what it admits: the option `slowDown` of the core. */
export interface SlowDownRule {
  readonly after: number;
  readonly by: number;
  readonly upTo: number;
  readonly waiting?: number;
}

/** Which part of a limit is guaranteed to each tenant: the options `guarantee` and `lend` of the core. */
export interface GuaranteeRule {
  readonly limit: number;
  /** The names of the keys that are the tenant. */
  readonly key: readonly string[];
  readonly total: number;
  readonly lend: number;
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
  /** The share of distinct keys refused at which it acts, above 0, at most 1. */
  readonly refused: number;
  /** Over which time. */
  readonly overMs: number;
}
