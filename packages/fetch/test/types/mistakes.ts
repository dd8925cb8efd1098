/** Mistakes: none of them may compile. Nothing here runs. */
import {
  byIp,
  clientAddress,
  type FetchContext,
  firstOf,
  rateLimit,
  rateLimitOf,
  respond,
  shedLoad,
} from '@sluice/fetch';

declare const request: Request;
const minute = { limit: 5, window: '1m' } as const;

interface OwnContext extends FetchContext {
  readonly user: string;
}

// @ts-expect-error
rateLimit();
// @ts-expect-error
rateLimit({ limit: 5 });
// @ts-expect-error
rateLimit({ ...minute, colour: 'red' });
// @ts-expect-error
rateLimit({ ...minute, trustProxy: ['10.0.0.0/8'] });
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: (incoming) => incoming.ip });
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: (_request, { user }) => user });
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: [byIp(), () => true] });
// @ts-expect-error
rateLimit({ ...minute, onLimitReached: (_request, _context, decision) => decision.retryAfter });
// @ts-expect-error
rateLimit(minute)();
// @ts-expect-error
rateLimit(minute)(request, { address: 5 });
// @ts-expect-error
rateLimit(minute)(request, { adress: '203.0.113.7' });
// @ts-expect-error
rateLimit<OwnContext>(minute)(request);
// @ts-expect-error
rateLimit<OwnContext>(minute)(request, { address: '203.0.113.7' });
// @ts-expect-error
rateLimit(minute).peek('ann', { price: 5 });
// @ts-expect-error
firstOf('x-api-key', byIp());
// @ts-expect-error
byIp({ subnet: 64 });
// @ts-expect-error
clientAddress({ trustProxy: '10.0.0.0/8' });
// @ts-expect-error
clientAddress()(request);
// @ts-expect-error
respond(request, new Response('hello'));
// @ts-expect-error
respond(request, () => 'hello');
// @ts-expect-error
rateLimitOf(request).settle(5);
// @ts-expect-error
rateLimitOf(request)?.settle('5');
// @ts-expect-error
shedLoad({ priority: 'high' });
// @ts-expect-error
shedLoad({ priority: async () => 'low' });
// @ts-expect-error
shedLoad({ loop: true });
