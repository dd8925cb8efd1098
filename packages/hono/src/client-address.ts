import { type AddressList, addressMatcher, forwardedAddress, type ProxyTrust, trustInProxies } from '@sluice/core/http';
import { checkFunction, checkOptions } from '@sluice/core/values';
import type { Context, MiddlewareHandler } from 'hono';
import { type AddressSource, requestOf, runIn } from './fetch-request.js';

/** The options of `clientAddress`. */
export interface ClientAddressOptions {
  /**
   * Returns the address of the connected peer. Default: the connection's address from `@hono/node-server`. Other
   * runtimes have a `getConnInfo`, or a header field that their own proxy always sets.
   *
   * @example clientAddress({ addressOf: (c) => getConnInfo(c).remote.address })
   */
  addressOf?: (c: Context) => string | undefined;
  /**
   * The addresses and CIDR ranges of your proxies. If one of them is the connected peer, the client's address comes
   * from `X-Forwarded-For`: the last address there that is none of your proxies. `addressList()` makes a list that can be replaced
   * later.
   *
   * @example clientAddress({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
   */
  trustProxy?: readonly string[] | AddressList;
}

/**
 * Sets the address that clients are counted by. Use it before every `rateLimit` if a proxy is in front of the
 * application, or if the application does not run on Node.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example app.use(clientAddress({ trustProxy: ['10.0.0.0/8'] }), rateLimit({ limit: 100, window: '1m' }));
 */
export function clientAddress(options: ClientAddressOptions): MiddlewareHandler {
  checkOptions(options, ['addressOf', 'trustProxy']);
  const { addressOf = connectedAddress, trustProxy } = options;
  checkFunction(addressOf, 'addressOf');
  const isProxy = addressMatcher(trustProxy ?? [], 'trustProxy');
  const source: AddressSource = {
    addressOf: trustProxy ? (c) => forwardedAddress(forwardedTo(c), addressOf(c), isProxy) : addressOf,
    trust: trustIn(options),
  };
  return async (c, next) => {
    const request = requestOf(c);
    request.source = source;
    await runIn(request, next);
  };
}

function connectedAddress(c: Context): string | undefined {
  return requestOf(c).node?.incoming.socket.remoteAddress;
}

/** Node joins the fields of a request that has several of them. */
function forwardedTo(c: Context): string | undefined {
  const forwarded = requestOf(c).headers['x-forwarded-for'];
  return forwarded === undefined ? undefined : String(forwarded);
}

function trustIn({ addressOf, trustProxy }: ClientAddressOptions): ProxyTrust | undefined {
  // If a field of the runtime's own proxy has the address, the content of `X-Forwarded-For` does not matter.
  if (trustProxy === undefined) return addressOf ? undefined : 'none';
  return trustInProxies(trustProxy);
}
