import { optionError } from './error.js';
import type { Store } from './store.js';

/** Sees that an option is a store that answers by promises, as those have to that another store stands in front of. */
export function checkAsyncStore(store: Store<true>, path: string): void {
  if (typeof store?.consume === 'function' && store.async) return;
  throw optionError(path, 'must be a store that answers by promises, like new RedisStore()', store);
}
