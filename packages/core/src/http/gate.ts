import { isMissing, type KeySource } from '../limiter/check-builder.js';
import type { Item } from '../limiter/policy/parse.js';
import { SluiceError } from '../values/error.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import type { Key } from '../values/key.js';
import type { Host } from './host.js';
import type { HttpOptions } from './http-options.js';
import { type AddressMatcher, addressList } from './keys/address-list.js';
import { byIp } from './keys/key-generators.js';
import { missingKey, type Refusal } from './node/problem.js';
import type { HttpRequest } from './node/request.js';
import { AddressWatch, KeyWatch, ProxyWatch } from './warnings.js';

/** What is known of a request before any limit is asked: its address, its key, whether it is on a list. */
export class RequestFilter<A extends readonly unknown[]> {
  readonly keys: KeySource<A>;
  readonly #host: Host<A>;
  readonly #isAllowed: AddressMatcher;
  readonly #isDenied: AddressMatcher;
  readonly #hasLists: boolean;
  readonly #proxies = new ProxyWatch();
  readonly #watch = new KeyWatch();
  readonly #addresses = new AddressWatch();
  /** How `onMissingKey` has requests without a key answered: what its status sends, and the error that stands for them. */
  readonly #turnedAway: { readonly error: SluiceError; readonly refusal: Refusal } | undefined;

  constructor(options: HttpOptions<A>, host: Host<A>) {
    const { allowList = [], denyList = [], onMissingKey = 'address' } = options;
    this.#host = host;
    this.#isAllowed = addressList(allowList, 'allowList');
    this.#isDenied = addressList(denyList, 'denyList');
    this.#hasLists = allowList.length > 0 || denyList.length > 0;
    const addressOf = byIp();
    if (typeof onMissingKey === 'number') {
      const message = `the request has no key to count by, and onMissingKey answers such requests with ${onMissingKey}`;
      this.#turnedAway = { error: new SluiceError('SLUICE_KEY', message), refusal: missingKey(onMissingKey) };
    }
    const missing = (item: Item<A>, args: A): Eventual<Key> => {
      if (this.#turnedAway) throw this.#turnedAway.error;
      if (typeof onMissingKey === 'function') return whenReady(onMissingKey(...args), (key) => key ?? noKey(item));
      if (item.keyGenerators) this.#watch.absent(item);
      return addressOf(host.requestOf(...args)) ?? noAddress(item);
    };
    this.keys = {
      defaultKey: (...args) => addressOf(host.requestOf(...args)),
      keyFor: (key, item, args) => {
        if (!isMissing(key)) {
          if (item.keyGenerators) this.#answered(key, item);
          return key;
        }
        return missing(item, args);
      },
    };
  }

  #answered(key: Key, item: Item<A>): void {
    this.#watch.answered(item);
    this.#addresses.answered(key, item);
  }

  /** What is sent for a request that failed with this error, if it is one that has no key and `onMissingKey` is a status. */
  refusalFor(error: unknown): Refusal | undefined {
    return error === this.#turnedAway?.error ? this.#turnedAway?.refusal : undefined;
  }

  classify(request: HttpRequest, args: A): 'counted' | 'exempt' | 'denied' {
    if (this.#proxies.isConcerned(request)) this.#proxies.look(request, this.#host.proxyTrust(...args));
    // Frameworks work an address out anew each time they are asked.
    if (!this.#hasLists) return 'counted';
    const { ip } = request;
    if (this.#isDenied(ip)) return 'denied';
    return this.#isAllowed(ip) ? 'exempt' : 'counted';
  }
}

function noKey<A extends readonly unknown[]>({ name }: Item<A>): never {
  throw new SluiceError('SLUICE_KEY', `onMissingKey gave no key for ${JSON.stringify(name)}: let it always give one`);
}

function noAddress<A extends readonly unknown[]>({ name, keyGenerators }: Item<A>): never {
  throw new SluiceError(
    'SLUICE_KEY',
    keyGenerators
      ? `the keyGenerator of ${JSON.stringify(name)} gave no key, and there is no address to count by instead: let it always give one`
      : 'the request has no address to count by (a closed connection, or a Unix socket): set a keyGenerator, or trust the proxy in front',
  );
}
