import type { Limit } from '@sluice/core';

/** Whether limits refuse, only count (`shadow`), or are not asked at all (`off`). */
export type Enforcement = 'on' | 'shadow' | 'off';

/**
 * A policy file that was read and checked: every name is known, every duration is in milliseconds, and every limit is one
 * that the core accepts.
 */
export interface PolicyFile {
  /** How far all limits of the file are enforced. */
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
  /** The policies, by their names. */
  readonly policies: ReadonlyMap<string, PolicyRule>;
}

/** Where a key comes from: a header field, the address, code, or one key for all requests. */
export type KeyRule =
  | {
      /** A header field of the request. */
      readonly from: 'header';
      /** The name of the field. */
      readonly header: string;
    }
  | {
      /** The address of the client. */
      readonly from: 'ip';
      /** How many bits of an IPv6 address count: 32 to 128. Default: 56. */
      readonly ipv6Subnet: number;
    }
  | {
      /** A function of your code. */
      readonly from: 'code';
    }
  | {
      /** One key for all requests. */
      readonly from: 'everyone';
    };

/** What holds for one customer. A block comes first, then overrides, then the tier. */
export interface CustomerRule {
  /** The tier of the customer; undefined for the default tier of the policy. */
  readonly tier: string | undefined;
  /** The customer's own limits, by the name of the limit. */
  readonly overrides: ReadonlyMap<string, Override>;
  /** Refuses all requests of the customer; undefined if the customer is not blocked. */
  readonly block:
    | {
        /** Why, as the file says it. */
        readonly reason: string | undefined;
        /** When it ends, in Unix milliseconds; Infinity if it does not. */
        readonly untilMs: number;
      }
    | undefined;
}

/** A limit of one customer, in place of that of the tier or the policy. */
export interface Override {
  /** The whole limit: what the file leaves out comes from the customer's tier, or from the policy. */
  readonly limit: Limit;
  /** When it ends, in Unix milliseconds; Infinity if it does not. */
  readonly untilMs: number;
  /** Why, as the file says it. */
  readonly reason: string | undefined;
}

/** One policy. */
export interface PolicyRule {
  /** The name by which code asks for the policy. */
  readonly name: string;
  /** The requests that it is for; undefined for all. Adapters choose a policy by its name instead. */
  readonly match:
    | {
        /** Paths, of which one has to fit; undefined for all. */
        readonly path: readonly string[] | undefined;
        /** Methods, such as `GET`; undefined for all. */
        readonly methods: readonly string[] | undefined;
      }
    | undefined;
  /** Addresses and CIDR ranges that are not counted. */
  readonly allowList: readonly string[];
  /** Addresses and CIDR ranges that are refused. */
  readonly denyList: readonly string[];
  /** The names of the keys that together are the key of its limits: at least one. */
  readonly key: readonly string[];
  /** What happens to a request whose key no customer has; undefined if the policy does not ask who the customer is. */
  readonly unknownCustomer: 'address' | 'refuse' | undefined;
  /** Where the tier comes from; undefined if no limit of the policy has tiers. */
  readonly tier: TierRule | undefined;
  /** The limits, in the order of the file: at least one. */
  readonly limits: readonly LimitRule[];
  /** What a request costs on every limit without a cost of its own. */
  readonly cost: CostRule;
  /** What happens while the store fails: count in this process, admit, or refuse. */
  readonly onStoreError: 'local' | 'allow' | 'deny';
  /** How far the policy is enforced; undefined: for all keys, or as the rollout says. */
  readonly enforce: number | 'mark' | undefined;
  /** The steps of its rollout, with the time at which each begins. Empty if it has none. */
  readonly rollout: readonly RolloutStep[];
  /** Stops the rollout if too many keys are refused; undefined if nothing does. */
  readonly brake: Brake | undefined;
}

/**
 * Where the tier of a request comes from. With `customers`, the first key of the policy says who the customer is: blocks,
 * overrides and tiers of `customers` hold for this policy.
 */
export type TierRule =
  | {
      /** The list of customers in the file, or a function of your code. */
      readonly from: 'customers' | 'code';
      /** The tier of everybody else; undefined only if no limit of the policy has a tier. */
      readonly default: string | undefined;
    }
  | {
      /** A header field of the request. */
      readonly from: 'header';
      /** The name of the field. */
      readonly header: string;
      /** The tier of everybody else; undefined only if no limit of the policy has a tier. */
      readonly default: string | undefined;
      /** Addresses and CIDR ranges: the field counts only in requests that come from them. */
      readonly trustedFrom: readonly string[];
    };

/** One limit of a policy. Exactly one of `limit`, `tiered` and `variants` says its numbers. */
export interface LimitRule {
  /** The name of the limit, which stands in header fields and metrics. */
  readonly name: string;
  /** The limit; undefined if it is tiered or has variants. */
  readonly limit: Limit | undefined;
  /** Whether each tier has the numbers of this limit. */
  readonly tiered: boolean;
  /** The limits between which keys are divided; undefined if it has none. */
  readonly variants: readonly [Variant, Variant, ...Variant[]] | undefined;
  /** The names of its keys; undefined for those of the policy. */
  readonly key: readonly string[] | undefined;
  /** What a request costs on this limit; undefined: what it costs on the policy. */
  readonly cost: CostRule | undefined;
  /** How far this limit is enforced, whatever the policy or its rollout says; undefined: as they say. */
  readonly enforce: number | 'mark' | undefined;
  /** What one unit is, such as `tokens`; undefined for requests. */
  readonly quotaUnit: string | undefined;
  /** The part of the limit by which it may be exceeded. */
  readonly tolerance: number | undefined;
  /** How it delays what it admits; undefined if it does not. */
  readonly slowDown: SlowDownRule | undefined;
  /** Which part of it is guaranteed; undefined if none is. */
  readonly guarantee: GuaranteeRule | undefined;
}

/** One of the limits between which keys are divided. */
export interface Variant {
  /** The name of the variant, which stands in metrics. */
  readonly name: string;
  /** The share of keys, from 0 to 1. The shares of all variants add up to 1. */
  readonly share: number;
  /** The limit of its keys. */
  readonly limit: Limit;
}

/** How a limit delays what it admits: the option `slowDown` of the core. */
export interface SlowDownRule {
  /** The used units from which on requests are delayed. */
  readonly after: number;
  /** Milliseconds for each unit beyond `after`. */
  readonly by: number;
  /** The longest delay, in milliseconds. */
  readonly upTo: number;
  /** How many requests may wait at the same time. Default: that of the core. */
  readonly waiting?: number;
}

/** Which part of a limit is guaranteed to each tenant: the options `guarantee` and `lend` of the core. */
export interface GuaranteeRule {
  /** The units that are guaranteed to each tenant. */
  readonly limit: number;
  /** The names of the keys that are the tenant. */
  readonly key: readonly string[];
  /** The units that are guaranteed to all tenants together. */
  readonly total: number;
  /** How much of the guaranteed units others may use meanwhile: 0 to 1. */
  readonly lend: number;
}

/** What a request costs. */
export type CostRule =
  | {
      /** The same for every request. */
      readonly from: 'constant';
      /** The cost in units: a whole number of at least 0. */
      readonly units: number;
    }
  | {
      /** A function of your code. */
      readonly from: 'code';
      /** The least that a request costs, in units. */
      readonly min: number;
      /** The most that a request costs, in units. */
      readonly max: number;
      /** The cost in units if the function returns undefined. */
      readonly default: number;
    }
  | {
      /** A header field of the request. */
      readonly from: 'header';
      /** The name of the field. */
      readonly header: string;
      /** The least that a request costs, in units. */
      readonly min: number;
      /** The most that a request costs, in units. */
      readonly max: number;
      /** The cost in units of a request without the field. */
      readonly default: number;
      /** Addresses and CIDR ranges: the field counts only in requests that come from them. */
      readonly trustedFrom: readonly string[];
    };

/** From a time on, the policy is enforced for a share of keys. */
export interface RolloutStep {
  /** When the step begins, in Unix milliseconds. */
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
