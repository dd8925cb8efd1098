import type { Item } from '@sluice/core/src/limiter/policy/parse';
import type { Key } from '@sluice/core/src/values/key';
import { warn } from '@sluice/core/src/values/warning';
import { fieldOf, type HttpRequest } from '../node/request.js';
import { addressIn } from './ip-address.js';
import type { ProxyTrust } from './proxy-trust.js';

/** After this many keys, the behavior of a `keyGenerator` is known. */
const MOST_KEYS = 10_000;

/** Returns the request, and which proxies are trusted: see `Host`. */
interface ProxyHost<A extends readonly unknown[]> {
  requestOf(...args: A): HttpRequest;
  proxyTrust?(...args: A): ProxyTrust | undefined;
}

/**
 * Warns, once per policy, if the header fields of requests contradict the framework's proxy settings. Call it for each
 * request whose address is used. Proxies do not matter for other requests.
 */
export class ProxyWatch<A extends readonly unknown[]> {
  readonly #host: ProxyHost<A>;
  #hasSeenUsual: boolean;
  #hasSeenForwarded: boolean;
  #keysLeft: number;

  constructor(host: ProxyHost<A>) {
    this.#host = host;
    // A host that never says whom it trusts gets no warning, so nothing has to be looked for.
    const isSilent = host.proxyTrust === undefined;
    this.#hasSeenUsual = isSilent;
    this.#hasSeenForwarded = isSilent;
    this.#keysLeft = isSilent ? 0 : MOST_KEYS;
  }

  addressUsed(request: HttpRequest, args: A): void {
    if (!this.#isConcerned(request)) return;
    const trust = this.#host.proxyTrust?.(...args);
    if (fieldOf(request, 'x-forwarded-for') === undefined) this.#lookForwarded(trust);
    else if (!this.#hasSeenUsual) this.#lookUsual(trust);
    else this.#hasSeenForwarded = true;
  }

  /** Call it when a `keyGenerator` has returned a key, which may be the address. */
  answered(key: Key, args: A): void {
    if (this.#keysLeft === 0) return;
    const request = this.#host.requestOf(...args);
    if (!this.#isConcerned(request)) return;
    this.#keysLeft -= 1;
    if (request.ip && holdsAddress(key, request.ip)) this.addressUsed(request, args);
  }

  #isConcerned(request: HttpRequest): boolean {
    return (
      (!this.#hasSeenUsual && fieldOf(request, 'x-forwarded-for') !== undefined) ||
      (!this.#hasSeenForwarded && fieldOf(request, 'forwarded') !== undefined)
    );
  }

  #lookUsual(trust: ProxyTrust | undefined): void {
    this.#hasSeenUsual = true;
    if (trust === 'none') {
      warn(
        'SLUICE_PROXY_UNTRUSTED',
        'A request came with X-Forwarded-For, but no proxy is trusted: all clients of that proxy are counted as one address. Tell the framework which proxies to trust.',
      );
    } else if (trust === 'all') {
      warn(
        'SLUICE_PROXY_TRUSTS_ALL',
        'Every proxy is trusted: a client can choose its own address with X-Forwarded-For, and so avoid its limit. Trust only the proxies that are yours.',
      );
    }
  }

  /** Without the usual field: frameworks do not read this one, whichever proxies they trust. */
  #lookForwarded(trust: ProxyTrust | undefined): void {
    this.#hasSeenForwarded = true;
    if (trust !== 'none') return;
    warn(
      'SLUICE_FORWARDED_UNREAD',
      'A request came with Forwarded and without X-Forwarded-For, and no proxy is trusted: all clients of that proxy are counted as one address. Frameworks read only X-Forwarded-For: let the proxy send it, and tell the framework which proxies to trust.',
    );
  }
}

/** This many requests without one key are no coincidence. */
const FIRST_REQUESTS = 20;

/** Warns, once per limit, if a `keyGenerator` has never returned a key. */
export class KeyWatch {
  readonly #absent = new Map<Item<never>, number>();

  answered(item: Item<never>): void {
    if (this.#absent.get(item) !== Number.POSITIVE_INFINITY) this.#absent.set(item, Number.POSITIVE_INFINITY);
  }

  absent(item: Item<never>): void {
    const absent = (this.#absent.get(item) ?? 0) + 1;
    this.#absent.set(item, absent);
    if (absent !== FIRST_REQUESTS) return;
    warn(
      'SLUICE_KEY_ABSENT',
      `The keyGenerator of ${JSON.stringify(item.name)} returned no key for any of the first ${FIRST_REQUESTS} requests, so they are counted by address. Place the limiter after the middleware that sets the data which the keyGenerator reads.`,
    );
  }
}

/** Warns, once per policy, if a `keyGenerator` returns an IPv6 address unchanged. */
export class AddressWatch {
  #keysLeft = MOST_KEYS;

  answered(key: Key, item: Item<never>): void {
    if (this.#keysLeft === 0) return;
    this.#keysLeft -= 1;
    if (!hasIpv6(key)) return;
    this.#keysLeft = 0;
    warn(
      'SLUICE_KEY_IPV6',
      `The keyGenerator of ${JSON.stringify(item.name)} returned an IPv6 address as a key. A client has a whole network of addresses, and each would have its own limit. Use ipKey(address), which counts the network.`,
    );
  }
}

/** Keys of more levels are not searched. */
const MOST_LEVELS = 4;

/** Whether a key, or a part of a compound one, is the address, unchanged or from `ipKey`. */
function holdsAddress(key: Key, ip: string, level = 1): boolean {
  if (typeof key === 'string') return key.includes(ip);
  if (!Array.isArray(key) || level > MOST_LEVELS) return false;
  return (key.length === 2 && key[0] === 'ip') || key.some((part) => holdsAddress(part, ip, level + 1));
}

/**
 * The id of a device: eight bytes. It can be read as an IPv6 address, but no client's address begins with two-digit
 * groups.
 */
const EUI_64 = /^[\da-f]{2}(:[\da-f]{2}){7}$/i;

/** Whether a key, or a part of a compound one, is an IPv6 address. */
function hasIpv6(key: Key): boolean {
  if (typeof key === 'string') return key.includes(':') && typeof addressIn(key) === 'object' && !EUI_64.test(key);
  return Array.isArray(key) && key.some((part) => typeof part === 'string' && hasIpv6(part));
}
