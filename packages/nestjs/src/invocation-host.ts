import { type AdmittingHost, proxyTrustOf } from '@sluice/core/http';
import { isWatched } from './handler-watch.js';
import { invocationOf } from './invocation-of.js';
import type { CallbackArguments } from './options.js';

/** Tells the core about Nest, whose handlers are called by other ways than HTTP, too. */
export const INVOCATION_HOST: AdmittingHost<CallbackArguments> = {
  requestOf: (request, context) => invocationOf(context).counted(request),
  responseOf: (_request, context) => invocationOf(context).response,
  keep: (reservation, _request, context) => {
    invocationOf(context).reservation = reservation;
  },
  tellsOfHandler: (_request, context) => isWatched(context),
  onEnd: (tell, _request, context) => invocationOf(context).onEnd(tell),
  // A request that does not come from the platform, such as a connection's, has no proxy to believe.
  proxyTrust: (request) => proxyTrustOf(request) ?? 'none',
};
