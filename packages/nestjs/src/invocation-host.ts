import { type AdmittingHost, proxyTrustOf } from '@sluice/core/http';
import { isWatched } from './handler-watch.js';
import { invocationOf } from './invocation-of.js';
import type { CallbackArguments } from './options.js';

/** Describes Nest to the core. Its handlers are not only called by HTTP. */
export const INVOCATION_HOST: AdmittingHost<CallbackArguments> = {
  requestOf: (request, context) => invocationOf(context).counted(request),
  responseOf: (_request, context) => invocationOf(context).response,
  keep: (reservation, _request, context) => {
    invocationOf(context).reservation = reservation;
  },
  reportsHandler: (_request, context) => isWatched(context),
  onEnd: (notify, _request, context) => invocationOf(context).onEnd(notify),
  // If a request does not come from the platform, such as that of a connection, no proxy is trusted.
  proxyTrust: (request) => proxyTrustOf(request) ?? 'none',
};
