import { optionError } from '../values/error.js';
import type { Store } from './store.js';

/** Sees that an option is a store that answers by promises, as those have to that another store stands in front of. */
export function checkAsyncStore(store: Store<true>, path: string): void {
  if (typeof store?.consume === 'function' && store.async) return;
  throw optionError(path, 'must be a store that answers by promises, like new RedisStore()', store);
}

/** Sees that an option is such a store whose answers are exact, as those have to be of which a part is spent elsewhere. */
export function checkExactStore(store: Store<true>, path: string): void {
  checkAsyncStore(store, path);
  if (store.supports.exact !== false) return;
  throw optionError(path, 'must be a store that counts exactly, which no LeasedStore or SyncedStore does', store);
}
