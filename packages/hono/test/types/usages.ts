/** Everyday usages: each must compile, and infer what is written on its left. Nothing here runs. */
import {
  byHeader,
  byIp,
  clientAddress,
  concurrency,
  type Decision,
  firstOf,
  type HttpReservation,
  ipKey,
  type LoadState,
  type PolicyHandle,
  type RateLimitOptions,
  type Reservation,
  rateLimit,
  type Shedder,
  type ShedLoadMiddleware,
  type ShedLoadOptions,
  shedLoad,
  slidingWindow,
} from '@sluice/hono';
import { type Context, Hono, type MiddlewareHandler } from 'hono';

interface AppEnv {
  Bindings: { address: string };
  Variables: { user: { id: string } | undefined };
}

// On an application without types and on one with, on a path and on a route.
const plain = new Hono();
const app = new Hono<AppEnv>();
plain.use(rateLimit({ limit: 100, window: '1m' }));
app.use('/api/*', rateLimit({ limit: 100, window: 60_000 }));
app.get('/users/:id', rateLimit({ limit: slidingWindow({ limit: 5, window: '1m' }) }), (c) => {
  const id: string = c.req.param('id');
  const reservation: HttpReservation | undefined = c.get('rateLimit');
  const same: Reservation | undefined = c.var.rateLimit;
  return c.json({ id, remaining: reservation?.tightest.remaining, same: same?.policy });
});

// A handler, and a handle.
const limiter = rateLimit({ name: 'login', limit: 5, window: '15m', skipSuccessfulRequests: true });
export const handler: MiddlewareHandler = limiter;
export const handle: PolicyHandle<[c: Context]> = limiter;
export const done: Promise<boolean> = limiter.reset(ipKey('203.0.113.7'));
export const looks = (c: Context): Promise<Decision>[] => [limiter.peek(c), handle.peek('ann', { cost: 5 })];

// Callbacks get the context, and the decision last.
app.use(
  rateLimit({
    limits: [slidingWindow({ name: 'burst', limit: 10, window: '1s' }), concurrency({ limit: 3, lease: '30s' })],
    keyGenerator: (c) => c.req.header('x-user'),
    skip: (c) => c.req.path === '/health',
    cost: async (c) => Number(c.req.query('units') ?? 1),
    requestWasSuccessful: (c) => c.res.status !== 401,
    skipFailedRequests: true,
    message: (c, decision) => ({ path: c.req.path, retryAfterMs: decision.retryAfterMs }),
    onLimitReached: (c, { retryAfterMs }) => c.json({ retryAfterMs }, 429),
    onDecision: (c, { policy }) => void [c.req.method, policy],
    extraHeaders: (c, { policy }) => ({ 'X-Path': c.req.path, 'X-Policy': policy }),
  }),
);
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), (c) => c.req.path, byIp()) }));
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: [byIp({ ipv6Subnet: 64 }), byHeader('x-api-key')] }));
app.use(clientAddress({ addressOf: (c) => c.env.address, trustProxy: ['10.0.0.0/8'] }));

export const options: RateLimitOptions = { limit: 5, window: '1m', enforce: () => 0.5 };
app.use(rateLimit(options), rateLimit({ ...options, name: 'other' }));

// Load shedding, with the shedder for elastic limits and the state for handlers.
const shed: ShedLoadMiddleware = shedLoad({
  priority: (c) => (c.req.path === '/pay' ? 'critical' : undefined),
  skip: (c) => c.req.header('x-internal') !== undefined,
  trustPriority: ['10.0.0.0/8'],
  health: ['/health'],
  headroom: { normal: 0.2, low: 0.5 },
  onShed: (c) => void c.req.url,
});
export const shedder: Shedder = shed.shedder;
export const shedding: ShedLoadOptions = { shedder, isStream: (c) => c.req.path === '/events' };
app.use(shedLoad(), shed, shedLoad({ loop: false, inFlight: { algorithm: 'aimd', max: 50 } }));
app.use(rateLimit({ limit: 100, window: '1m', elastic: { upTo: 150, while: shed.shedder.calm } }));
app.get('/busy', (c) => {
  const load: LoadState | undefined = c.get('load');
  return c.json({ busy: load?.isShedding, border: c.var.load?.border });
});
