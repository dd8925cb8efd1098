import type { HttpRequest } from '../node/request.js';
import { type AddressList, addressMatcher, isAddressList } from './address-list.js';
import type { ProxyWatch } from './key-warnings.js';

/** The options about addresses. */
interface AddressLists {
  readonly allowList?: readonly string[] | AddressList;
  readonly denyList?: readonly string[] | AddressList;
}

/** Decides by the address lists whether a request is counted. */
export type RequestClassifier<A extends readonly unknown[]> = (
  request: HttpRequest,
  args: A,
) => 'counted' | 'exempt' | 'denied';

/** Makes the function that decides by the address lists whether a request is counted; undefined if there are no lists. */
export function classifierOf<A extends readonly unknown[]>(
  { allowList = [], denyList = [] }: AddressLists,
  proxies: ProxyWatch<A>,
): RequestClassifier<A> | undefined {
  const isAllowed = addressMatcher(allowList, 'allowList');
  const isDenied = addressMatcher(denyList, 'denyList');
  const hasLists = [allowList, denyList].some((list) => isAddressList(list) || list.length > 0);
  if (!hasLists) return undefined;
  return (request, args) => {
    proxies.addressUsed(request, args);
    // Read once, because frameworks compute the address again each time.
    const { ip } = request;
    if (isDenied(ip)) return 'denied';
    return isAllowed(ip) ? 'exempt' : 'counted';
  };
}
