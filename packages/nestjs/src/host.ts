import { type AdmittingHost, proxyTrustOf } from '@sluice/core/http';
import { callOf } from './call.js';
import type { CallbackArguments } from './options.js';

/** What the core has to know of Nest, on either platform. */
export const HOST: AdmittingHost<CallbackArguments> = {
  requestOf: (request, context) => callOf(context).counted(request),
  responseOf: (_request, context) => callOf(context).response,
  keep: (reservation, _request, context) => {
    callOf(context).reservation = reservation;
  },
  onEnd: (tell, _request, context) => callOf(context).onEnd(tell),
  // What has no platform's request, such as a connection, believes nobody.
  proxyTrust: (request) => proxyTrustOf(request) ?? 'none',
};
