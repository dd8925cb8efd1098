/** Everyday usages: each must compile, and infer what is written on its left. Nothing here runs. */
import {
  byHeader,
  byIp,
  clientAddress,
  concurrency,
  type Decision,
  type FetchContext,
  firstOf,
  type HttpReservation,
  ipKey,
  type LoadState,
  loadOf,
  type PolicyHandle,
  type RateLimitGuard,
  type RateLimitOptions,
  type Reservation,
  rateLimit,
  rateLimitOf,
  respond,
  responseOf,
  type Shedder,
  type ShedLoadGuard,
  type ShedLoadOptions,
  shedLoad,
  slidingWindow,
} from '@sluice/fetch';

interface OwnContext extends FetchContext {
  readonly user: { readonly id: string } | undefined;
}

declare const request: Request;

// Without a context, with an address, with a function that finds one, and with a field that may be absent.
const limit = rateLimit({ limit: 100, window: '1m' });
export const refusals: readonly Promise<Response | undefined>[] = [
  limit(request),
  limit(request, {}),
  limit(request, { address: '203.0.113.7' }),
  limit(request, { address: () => undefined }),
  limit(request, { address: request.headers.get('cf-connecting-ip') }),
];

// With a context of the application.
const own = rateLimit<OwnContext>({ limit: 100, window: 60_000, keyGenerator: (_request, { user }) => user?.id });
export const ownRefusal: Promise<Response | undefined> = own(request, { user: { id: 'ann' }, address: '203.0.113.7' });

// A handler behind guards.
const shed: ShedLoadGuard = shedLoad({
  priority: ({ url }) => (url.endsWith('/pay') ? 'critical' : undefined),
  skip: ({ headers }) => headers.has('x-internal'),
  trustPriority: () => true,
  health: ['/health'],
  headroom: { normal: 0.2, low: 0.5 },
  onShed: ({ url }) => void url,
});
export async function handle(incoming: Request, address: string): Promise<Response> {
  const refused = shed(incoming) ?? (await limit(incoming, { address }));
  return refused ?? respond(incoming, () => new Response('hello'));
}
export const later: Promise<Response> = respond(request, async () => Response.json({}));

// A guard, and a handle.
const login = rateLimit({ name: 'login', limit: slidingWindow({ limit: 5, window: '15m' }), skipFailedRequests: true });
export const guard: RateLimitGuard = login;
export const handleOfPolicy: PolicyHandle<[request: Request, context: FetchContext]> = login;
export const done: Promise<boolean> = login.reset(ipKey('203.0.113.7'));
export const looks: Promise<Decision>[] = [login.peek(request, {}), login.peek('ann', { cost: 5 })];

// Callbacks get the request and the context, and the decision last.
rateLimit<OwnContext>({
  limits: [slidingWindow({ name: 'burst', limit: 10, window: '1s' }), concurrency({ limit: 3, lease: '30s' })],
  keyGenerator: ({ headers }) => headers.get('x-user'),
  skip: ({ url }) => url.endsWith('/health'),
  cost: async (incoming) => Number(new URL(incoming.url).searchParams.get('units') ?? 1),
  requestWasSuccessful: (incoming) => responseOf(incoming)?.status !== 401,
  skipFailedRequests: true,
  message: (_request, { user }, decision) => ({ user: user?.id, retryAfterMs: decision.retryAfterMs }),
  onLimitReached: (_request, _context, { retryAfterMs }) => Response.json({ retryAfterMs }, { status: 429 }),
  onDecision: ({ method }, _context, { policy }) => void [method, policy],
  extraHeaders: (_request, { user }, { policy }) => ({ 'X-User': user?.id ?? '', 'X-Policy': policy }),
});
rateLimit({ limit: 5, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), ({ url }) => url, byIp()) });
rateLimit({ limit: 5, window: '1m', keyGenerator: [byIp({ ipv6Subnet: 64 }), byHeader('x-api-key')] });
rateLimit<OwnContext>({ limit: 5, window: '1m', keyGenerator: firstOf((_request, { user }) => user?.id, byIp()) });
export const options: RateLimitOptions = { limit: 5, window: '1m', enforce: () => 0.5 };
rateLimit({ ...options, name: 'other' });

export const address: string | undefined = clientAddress({ trustProxy: ['10.0.0.0/8'] })(request, '10.0.0.1');

// What a handler finds.
export const reservation: HttpReservation | undefined = rateLimitOf(request);
export const same: Reservation | undefined = rateLimitOf(request);
export const load: LoadState | undefined = loadOf(request);
export const response: Response | undefined = responseOf(request);

// Load shedding, with the shedder for elastic limits.
export const shedder: Shedder = shed.shedder;
export const shedding: ShedLoadOptions = { shedder, isStream: ({ url }) => url.endsWith('/events') };
export const others = [shedLoad(), shedLoad({ loop: false, inFlight: { algorithm: 'aimd', max: 50 } })];
rateLimit({ limit: 100, window: '1m', elastic: { upTo: 150, while: shed.shedder.calm } });
