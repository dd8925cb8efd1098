import { type Key, type Limit, unlimited } from '@sluice/core';
import { murmurHash } from '@sluice/core/values';
import type { Variant } from '../file/policy-file.js';

/** Returns a key of a request; undefined if it has none. */
export type KeyReader<Req extends object> = (request: Req) => Key | undefined;

/**
 * Returns the function that places the key of a request between 0 and 1. The same key has the same place in every process.
 * The place has nothing to do with the share of keys for which a limit is enforced, because its hash begins with other text.
 */
export function keyOfVariants<Req extends object>(
  policy: string,
  limit: string,
  parts: readonly KeyReader<Req>[],
): (request: Req) => number {
  const seed = murmurHash(`variants of ${JSON.stringify([policy, limit])}`);
  return (request) => murmurHash(JSON.stringify(parts.map((part) => part(request))), seed) / 2 ** 32;
}

/** Returns the function that chooses a variant's limit for its own keys, and none for all others. */
export function variantLimit<Req extends object>(
  variants: readonly Variant[],
  index: number,
  position: (request: Req) => number,
): (request: Req) => Limit {
  const sumTo = (end: number): number => variants.slice(0, end).reduce((sum, { share }) => sum + share, 0);
  const from = sumTo(index);
  // The shares add up to 1, apart from rounding.
  const to = index === variants.length - 1 ? 1 : sumTo(index + 1);
  const { limit } = variants[index] as Variant;
  const none = unlimited();
  return (request) => {
    const at = position(request);
    return at >= from && at < to ? limit : none;
  };
}
