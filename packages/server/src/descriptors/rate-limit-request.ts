/** A part of a descriptor: one fact about the request that the balancer got. */
export interface DescriptorEntry {
  readonly key?: string;
  readonly value?: string;
}

/** Facts about a request, which one policy counts together: `envoy.extensions.common.ratelimit.v3.RateLimitDescriptor`. */
export interface Descriptor {
  readonly entries: readonly DescriptorEntry[];
  /** A limit that the caller brings. */
  readonly limit?: object | null;
  /** Replaces the hits of the whole request. It is present even if it is 0. */
  readonly hitsAddend?: { readonly value?: number } | null;
  readonly isNegativeHits?: boolean;
}

/** A question about limits, as Envoy asks it: `envoy.service.ratelimit.v3.RateLimitRequest`. Absent numbers are 0. */
export interface RateLimitRequest {
  readonly domain?: string;
  readonly descriptors: readonly Descriptor[];
  readonly hitsAddend?: number;
}
