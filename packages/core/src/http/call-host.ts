import type { AdmittingHost } from './admitter.js';
import type { Invocation } from './call.js';
import { proxyTrustOf } from './keys/proxy-trust.js';
import type { HttpRequest } from './node/request.js';

/**
 * What the core has to know of a framework whose handlers are called by other ways than HTTP, too.
 *
 * @param callOf - the call, of which everything that is asked about it knows the same.
 * @param tellsOfHandler - see `AdmittingHost`.
 * @example createAdmitter(options, callHost((_request, context) => callOf(context)));
 */
export function callHost<A extends readonly [request: HttpRequest, ...others: unknown[]]>(
  callOf: (...args: A) => Invocation,
  tellsOfHandler: (...args: A) => boolean = () => false,
): AdmittingHost<A> {
  return {
    requestOf: (...args) => callOf(...args).counted(args[0]),
    responseOf: (...args) => callOf(...args).response,
    keep: (reservation, ...args) => {
      callOf(...args).reservation = reservation;
    },
    tellsOfHandler,
    onEnd: (tell, ...args) => callOf(...args).onEnd(tell),
    // What has no platform's request, such as a connection, believes nobody.
    proxyTrust: (...args) => proxyTrustOf(args[0]) ?? 'none',
  };
}
