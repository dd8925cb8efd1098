import { SluiceError } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import type { Store } from '../store.js';

const claims = new WeakMap<Store, Map<string, object>>();

/**
 * On one store a policy name belongs to one options object, because two policies of one name would count each other's
 * requests. The same options object may come again: then sharing is meant.
 */
export function claimName(store: Store, name: string, options: object): void {
  const owners = getOrMake(claims, store, () => new Map<string, object>());
  if (getOrMake(owners, name, () => options) !== options) {
    const message = `a policy named ${JSON.stringify(name)} is on this store already: give one of the two a name of its own`;
    throw new SluiceError('SLUICE_DUPLICATE_NAME', message, { path: 'name', received: name });
  }
}
