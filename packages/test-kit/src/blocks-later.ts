import type { Blocks } from '@sluice/core';

/** The blocks of a synchronous store, by promises. */
export function blocksLater(
  blocks: Blocks<false>,
  carry: <T>(call: () => T) => Promise<T> = async (call) => call(),
): Blocks<true> {
  return {
    block: (order) => carry(() => blocks.block(order)),
    unblock: (targets) => carry(() => blocks.unblock(targets)),
    find: (targets) => carry(() => blocks.find(targets)),
    list: (policy, range) => carry(() => blocks.list(policy, range)),
  };
}
