import { MemoryStore, type Store } from '../src/index.js';

/** A store that answers by promises. */
export function asyncStore(): Store<true> {
  const memory = new MemoryStore();
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
