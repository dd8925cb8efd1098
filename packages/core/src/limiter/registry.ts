import { SluiceError } from '../error.js';
import type { Store } from '../store.js';

const claims = new WeakMap<Store, Map<string, object>>();

/**
 * On one store a policy name belongs to one options object, because two policies of one name would count each other's requests. The same
 * options object may come again: then sharing is meant.
 */
export function claimName(store: Store, name: string, options: object): void {
  let owners = claims.get(store);
  if (!owners) {
    owners = new Map();
    claims.set(store, owners);
  }
  const owner = owners.get(name) ?? options;
  if (owner !== options) {
    const message = `a policy named ${JSON.stringify(name)} is on this store already: give one of the two a name of its own`;
    throw new SluiceError('SLUICE_DUPLICATE_NAME', message, { path: 'name', received: name });
  }
  owners.set(name, options);
}
