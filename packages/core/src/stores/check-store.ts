import { optionError } from '../values/error.js';
import type { Store } from './store.js';

/**
 * Checks that an option is a store that returns promises. A store can stand in front of another one only if that one
 * does.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkAsyncStore(store: Store<true>, path: string): void {
  if (typeof store?.consume === 'function' && store.async) return;
  throw optionError(path, 'must be a store that returns promises, like new RedisStore()', store);
}

/**
 * Checks that an option is such a store, and that its decisions are exact. A store that spends units elsewhere needs
 * that.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkExactStore(store: Store<true>, path: string): void {
  checkAsyncStore(store, path);
  if (store.supports.exact !== false) return;
  throw optionError(path, 'must be a store with exact decisions, and not a LeasedStore or a SyncedStore', store);
}
