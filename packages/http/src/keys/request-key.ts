// Why it is so: core/docs/why/keys-and-names.md

import { isMissing, type KeySource } from '@sluice/core/src/limiter/check-builder';
import type { Resolver } from '@sluice/core/src/limiter/policy/options';
import type { Item } from '@sluice/core/src/limiter/policy/parse';
import { SluiceError } from '@sluice/core/src/values/error';
import { type Eventual, whenReady } from '@sluice/core/src/values/eventual';
import type { Key } from '@sluice/core/src/values/key';
import type { HttpRequest } from '../node/request.js';
import { missingKey, type Refusal } from '../refusals/problem.js';
import { DEFAULT_IPV6_SUBNET, encodedKeyOfIp, keyOfIp } from './ip-key.js';
import { AddressWatch, KeyWatch, type ProxyWatch } from './key-warnings.js';

type Args = readonly unknown[];

/** What happens to a request without a key: see `RequestOptions.onMissingKey`. */
type OnMissingKey<A extends Args> = 'address' | number | Resolver<A, Key> | undefined;

interface RequestHost<A extends Args> {
  requestOf(...args: A): HttpRequest;
}

/** Finds the key of a request if a limit has no `keyGenerator`, or if that returns none. */
export class RequestKeys<A extends Args> implements KeySource<A> {
  readonly #host: RequestHost<A>;
  readonly #onMissingKey: OnMissingKey<A>;
  readonly #proxies: ProxyWatch<A>;
  readonly #watch = new KeyWatch();
  readonly #addresses = new AddressWatch();
  /** If `onMissingKey` is a status: the refusal of requests without a key, and the error that stands for it. */
  readonly #withoutKey: { readonly error: SluiceError; readonly refusal: Refusal } | undefined;

  constructor(onMissingKey: OnMissingKey<A>, host: RequestHost<A>, proxies: ProxyWatch<A>) {
    this.#host = host;
    this.#proxies = proxies;
    this.#onMissingKey = onMissingKey;
    if (typeof onMissingKey === 'number') {
      const message = `the request has no key to count by, and onMissingKey refuses it with ${onMissingKey}`;
      this.#withoutKey = { error: new SluiceError('SLUICE_KEY', message), refusal: missingKey(onMissingKey) };
    }
  }

  defaultKey(args: A): string | undefined {
    const ip = this.#addressOf(args);
    return ip ? encodedKeyOfIp(ip, DEFAULT_IPV6_SUBNET) : undefined;
  }

  keyFor(answered: Key | null | undefined, item: Item<A>, args: A): Eventual<Key> {
    if (isMissing(answered)) return this.#missing(item, args);
    if (item.keyGenerators) {
      this.#watch.answered(item);
      this.#addresses.answered(answered, item);
      this.#proxies.answered(answered, args);
    }
    return answered;
  }

  /** Returns the refusal of a request that failed with this error, if it has no key and `onMissingKey` is a status. */
  refusalFor(error: unknown): Refusal | undefined {
    return error === this.#withoutKey?.error ? this.#withoutKey?.refusal : undefined;
  }

  #missing(item: Item<A>, args: A): Eventual<Key> {
    if (this.#withoutKey) throw this.#withoutKey.error;
    if (typeof this.#onMissingKey === 'function') return this.#elsewhere(this.#onMissingKey(...args), item, args);
    if (item.keyGenerators) this.#watch.absent(item);
    const ip = this.#addressOf(args);
    return ip ? keyOfIp(ip, DEFAULT_IPV6_SUBNET) : noAddress(item);
  }

  /** Reads the address once, because frameworks compute it again each time. */
  #addressOf(args: A): string | undefined {
    const request = this.#host.requestOf(...args);
    this.#proxies.addressUsed(request, args);
    return request.ip;
  }

  #elsewhere(answer: Eventual<Key>, item: Item<A>, args: A): Eventual<Key> {
    return whenReady(answer, (key) => {
      if (isMissing(key)) return noKey(item);
      this.#proxies.answered(key, args);
      return key;
    });
  }
}

function noKey<A extends Args>({ name }: Item<A>): never {
  throw new SluiceError(
    'SLUICE_KEY',
    `onMissingKey returned no key for ${JSON.stringify(name)}: it must always return one`,
  );
}

function noAddress<A extends Args>({ name, keyGenerators }: Item<A>): never {
  throw new SluiceError(
    'SLUICE_KEY',
    keyGenerators
      ? `the keyGenerator of ${JSON.stringify(name)} returned no key, and there is no address to count by instead: it must always return one`
      : 'the request has no address to count by (a closed connection, or a Unix socket): set a keyGenerator, or trust the proxy in front',
  );
}
