import { MemoryStore, type MemoryStoreOptions, type Store } from '@sluice/core';

/** A store in memory that answers by promises. */
export function asyncStore(options: MemoryStoreOptions = {}): Store<true> {
  const memory = new MemoryStore(options);
  return {
    async: true,
    clock: memory.clock,
    supports: memory.supports,
    consume: async (ask) => memory.consume(ask),
    adjust: async (change) => memory.adjust(change),
    reset: async (targets) => memory.reset(targets),
    close: async () => memory.close(),
  };
}
