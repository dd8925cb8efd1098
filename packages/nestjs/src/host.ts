import { type AdmittingHost, type ProxyTrust, trustIn, underSymbol } from '@sluice/core/http';
import { callOf } from './call.js';
import type { CallbackArguments } from './options.js';

/** What is read of an Express request, or of a Fastify request. */
interface PlatformRequest {
  readonly app?: { get(setting: 'trust proxy'): unknown };
  readonly server?: object;
  readonly ips?: readonly string[] | undefined;
}

/** What the platform's setting means. Asked about a request that has `X-Forwarded-For`. */
function proxyTrust({ app, server, ips }: PlatformRequest): ProxyTrust {
  if (app) return trustIn(app.get('trust proxy'));
  if (!server || !ips) return 'none';
  const options = underSymbol(server, 'fastify.options') as { readonly trustProxy?: unknown } | undefined;
  return trustIn(options?.trustProxy, ips);
}

/** What the core has to know of Nest, on either platform. */
export const HOST: AdmittingHost<CallbackArguments> = {
  requestOf: (request, context) => callOf(context).counted(request),
  responseOf: (_request, context) => callOf(context).response,
  keep: (reservation, _request, context) => {
    callOf(context).reservation = reservation;
  },
  onEnd: (tell, _request, context) => callOf(context).onEnd(tell),
  proxyTrust: (request) => proxyTrust(request as PlatformRequest),
};
