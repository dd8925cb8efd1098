import { type Host, onResponseEnd, REQUEST, type RequestCarrier } from '@sluice/core/http';
import type { Context } from 'koa';

/** What `@sluice/core/http` asks about a request of Koa. */
export const host: Required<Pick<Host<[ctx: Context]>, 'requestOf' | 'proxyTrust' | 'onEnd'>> = {
  // The symbol lets functions that know no framework find the request in the context.
  requestOf: (ctx: Context & RequestCarrier) => (ctx[REQUEST] ??= ctx.request),
  onEnd: (notify, ctx) => onResponseEnd(ctx.res, notify),
  proxyTrust: ({ app }) => {
    if (!app.proxy) return 'none';
    // Without a number of proxies, Koa takes the address that the client may have written itself.
    return app.maxIpsCount > 0 ? 'some' : 'all';
  },
};
