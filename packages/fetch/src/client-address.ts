import { type AddressList, addressMatcher, forwardedAddress, trustInProxies } from '@sluice/core/http';
import { checkOptions } from '@sluice/core/values';
import { requestOf } from './fetch-request.js';

/** The options of `clientAddress`. */
export interface ClientAddressOptions {
  /**
   * The addresses and CIDR ranges of your proxies. If one of them is the connected peer, the client's address comes
   * from `X-Forwarded-For`: the last address there that is none of your proxies. `addressList()` makes a list that can be replaced
   * later. Default: none.
   *
   * @example clientAddress({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
   */
  trustProxy?: readonly string[] | AddressList;
}

/**
 * Makes a function that finds the address of a client behind your proxies. It gets a request and the address of the connected
 * peer, and returns what to pass to guards as `address`. Make it once.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const addressOf = clientAddress({ trustProxy: ['10.0.0.0/8'] });
 * await limit(request, { address: addressOf(request, info.remoteAddr.hostname) });
 */
export function clientAddress(
  options: ClientAddressOptions = {},
): (request: Request, connected: string | null | undefined) => string | undefined {
  checkOptions(options, ['trustProxy']);
  const { trustProxy = [] } = options;
  const isProxy = addressMatcher(trustProxy, 'trustProxy');
  const trust = trustInProxies(trustProxy);
  return (request, connected) => {
    requestOf(request).trust = trust;
    return forwardedAddress(request.headers.get('x-forwarded-for') ?? undefined, connected ?? undefined, isProxy);
  };
}
