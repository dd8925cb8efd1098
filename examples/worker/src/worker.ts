import { env, waitUntil } from 'cloudflare:workers';
import { DurableObjectStore } from '@sluice/cloudflare';
import { rateLimit, respond } from '@sluice/fetch';

export { LimitsObject } from '@sluice/cloudflare';

/** 100 a minute for each address, wherever the Worker runs. Each address has an object of its own. */
const ofAddress = rateLimit({
  limit: 100,
  window: '1m',
  store: new DurableObjectStore({ namespace: env.LIMITS, waitUntil }),
});

/** The tenant and the user of `/reports/acme/ann`. In your Worker, they are those of a verified token. */
function callerOf(request: Request): readonly [tenant: string, user: string] {
  const [, , tenant = '', user = ''] = new URL(request.url).pathname.split('/');
  return [tenant, user];
}

/** 10 a minute for each user, and 25 for all users of a tenant. One object of each tenant decides about both, in one step. */
const ofTenant = rateLimit({
  name: 'reports',
  store: new DurableObjectStore({
    namespace: env.LIMITS,
    waitUntil,
    partition: ({ key }) => `tenant ${key.split('/', 1)[0]}`,
  }),
  limits: [
    { name: 'user', limit: 10, window: '1m', keyGenerator: (request) => callerOf(request).join('/') },
    { name: 'tenant', limit: 25, window: '1m', keyGenerator: (request) => callerOf(request)[0] },
  ],
});

export default {
  async fetch(request: Request): Promise<Response> {
    const address = request.headers.get('cf-connecting-ip');
    const refused = await ofAddress(request, { address });
    if (refused) return refused;
    const isReport = new URL(request.url).pathname.startsWith('/reports/');
    const refusedReport = isReport ? await ofTenant(request, { address }) : undefined;
    return refusedReport ?? respond(request, () => new Response(isReport ? 'a report' : 'hello'));
  },
};
