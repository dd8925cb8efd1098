import { addressList, checkFunction, checkOptions, type ProxyTrust } from '@sluice/core/http';
import type { Context, MiddlewareHandler } from 'hono';
import { type AddressSource, type FetchRequest, requestOf } from './fetch-request.js';

/** Where the address of a client comes from. */
export interface ClientAddressOptions {
  /**
   * Gives the address of who is connected. Default: the connection's, which `@hono/node-server` hands on. Other runtimes have a
   * `getConnInfo`, or a header field that their own proxy always sets.
   *
   * @example clientAddress({ addressOf: (c) => getConnInfo(c).remote.address })
   */
  addressOf?: (c: Context) => string | undefined;
  /**
   * The addresses and CIDR ranges of your proxies. Where one of these is connected, the address comes from `X-Forwarded-For`: the
   * last one there that is no proxy of yours.
   *
   * @example clientAddress({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
   */
  trustProxy?: readonly string[];
}

/**
 * Says by which address clients are counted: use it before every `rateLimit` where a proxy is in front, and where the application
 * does not run on Node.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example app.use(clientAddress({ trustProxy: ['10.0.0.0/8'] }), rateLimit({ limit: 100, window: '1m' }));
 */
export function clientAddress(options: ClientAddressOptions): MiddlewareHandler {
  checkOptions(options, ['addressOf', 'trustProxy']);
  const { addressOf = connectedAddress, trustProxy } = options;
  checkFunction(addressOf, 'addressOf');
  const isProxy = addressList(trustProxy ?? [], 'trustProxy');
  const source: AddressSource = {
    addressOf: trustProxy ? (c) => forwardedAddress(requestOf(c), addressOf(c), isProxy) : addressOf,
    trust: trustIn(options),
  };
  return async (c, next) => {
    requestOf(c).source = source;
    await next();
  };
}

function connectedAddress(c: Context): string | undefined {
  return requestOf(c).node?.incoming.socket.remoteAddress;
}

function trustIn({ addressOf, trustProxy }: ClientAddressOptions): ProxyTrust | undefined {
  // A field that a runtime's own proxy sets is what is counted by: then it does not matter whom the other one names.
  if (trustProxy === undefined) return addressOf ? undefined : 'none';
  if (trustProxy.length === 0) return 'none';
  return trustProxy.some((range) => range.endsWith('/0')) ? 'all' : 'some';
}

/** Walks from the connection to the client, past the proxies. A client may have written what stands to the left of itself. */
function forwardedAddress(
  { headers }: FetchRequest,
  connected: string | undefined,
  isProxy: (address: string | undefined) => boolean,
): string | undefined {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  let address = connected;
  while (isProxy(address)) {
    const before = forwarded.pop()?.trim();
    if (before === undefined || before === '') return address;
    address = before;
  }
  return address;
}
