import { type Limit, type Store, slidingWindow } from '@sluice/core';

/** Something that is asked about a key: a store, or the least calls of a client that could decide. */
export interface Contender {
  readonly name: string;
  readonly ask: (key: string) => unknown;
  readonly end: () => unknown;
}

/** Never refuses. */
const LIMIT: Limit = slidingWindow({ limit: 1_000_000_000, window: '1h' });

/** Asks about one sliding window for each key, as most policies do. @param end - what is to end after the store */
export function contenderOf(name: string, store: Store<boolean>, end: () => unknown = () => {}): Contender {
  return {
    name,
    ask: (key) => store.consume({ checks: [{ policy: 'bench', name: 'n', key, limit: LIMIT, cost: 1 }] }),
    async end() {
      await store.close();
      await end();
    },
  };
}

/** A busy machine is not to end a decision. */
export const timeout = '30s';
