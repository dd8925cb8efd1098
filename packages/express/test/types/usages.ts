/** Everyday usages: each must compile, and infer what is written on its left. Nothing here runs. */
import {
  byHeader,
  byIp,
  concurrency,
  type Decision,
  duration,
  everyone,
  firstOf,
  ipKey,
  leakyBucket,
  MemoryStore,
  type PolicyHandle,
  type RateLimitOptions,
  type Reservation,
  rateLimit,
  type Store,
  slidingWindow,
  tokenBucket,
  unlimited,
} from '@sluice/express';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';

declare const remote: Store<true>;
declare const either: Store;
declare function userOf(request: Request): Promise<{ id: string; plan: 'free' | 'paid' } | undefined>;

const app = express();
const router = Router();

// One line, on an application, a path, a router and a route.
app.use(rateLimit({ limit: 100, window: '1m' }));
app.use('/api', rateLimit({ limit: 100, window: 60_000 }));
router.use(rateLimit({ limit: 100, window: duration(process.env.WINDOW ?? '1m') }));
app.get('/users/:id', rateLimit({ limit: tokenBucket({ capacity: 10, refillRate: 1 }) }), (req, res) => {
  const id: string = req.params.id;
  const reservation: Reservation | undefined = req.rateLimit;
  res.json({ id, remaining: reservation?.tightest.remaining });
});
app.post<'/search/:index', { index: string }, { hits: number }, { text: string }, { page: number }>(
  '/search/:index',
  rateLimit({ limit: 5, window: '1m' }),
  (req, res) => {
    const page: number = req.query.page;
    res.json({ hits: page + req.body.text.length + req.params.index.length });
  },
);
app.use(rateLimit({ limit: leakyBucket({ capacity: 10, leakRate: 2 }) }), rateLimit({ limit: unlimited() }));

// A handler, and a handle.
const limiter = rateLimit({ name: 'login', limit: 5, window: '15m', skipSuccessfulRequests: true });
export const handler: RequestHandler = limiter;
export const handle: PolicyHandle = limiter;
export const name: string = limiter.policy;
export const done: Promise<boolean> = limiter.reset(ipKey('203.0.113.7'));
export const looks = (req: Request, res: Response): Promise<Decision>[] => [
  limiter.peek(req, res),
  handle.peek(ipKey('203.0.113.7'), { cost: 5 }),
];
export const compound: Promise<boolean> = limiter.reset(['acme', ipKey('203.0.113.7'), 7]);

// Callbacks get Express's own request and response, and the decision last.
app.use(
  rateLimit({
    limit: 5,
    window: '1m',
    keyGenerator: (req) => req.ip,
    skip: (req, res) => req.path === '/health' || res.locals.isInternal === true,
    cost: (req) => Number(req.get('content-length') ?? 1),
    requestWasSuccessful: (_req, res) => res.statusCode !== 401,
    skipFailedRequests: true,
    message: (req, _res, decision) => ({ path: req.path, retryAfterMs: decision.retryAfterMs }),
    onLimitReached: async (req, res, decision) => {
      const waitMs: number | 'never' = decision.retryAfterMs;
      res.status(429).render('slow-down', { path: req.path, waitMs });
    },
  }),
);
app.use(
  rateLimit({
    limit: 5,
    window: '1m',
    keyGenerator: async (req) => (await userOf(req))?.id,
    skip: async (req) => (await userOf(req)) === undefined,
    cost: async () => 3,
    message: async () => 'Later, please.',
    requestWasSuccessful: async (_req, res) => res.statusCode < 500,
  }),
);

// Who is counted.
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: byIp({ ipv6Subnet: 64 }) }));
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: byHeader('x-api-key') }));
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: everyone() }));
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) }));
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: firstOf((req) => req.get('x-tenant'), byIp()) }));
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: [byIp(), (req) => req.body.user as string] }));

// Tiers, and several limits.
app.use(rateLimit({ limit: (req) => (req.get('x-plan') === 'paid' ? 1000 : 10), window: '1m' }));
app.use(
  rateLimit({
    limit: async (req) =>
      (await userOf(req))?.plan === 'paid' ? unlimited() : slidingWindow({ limit: 10, window: '1m' }),
  }),
);
app.use(
  rateLimit({
    keyGenerator: (req) => req.get('x-user'),
    limits: [
      slidingWindow({ name: 'burst', limit: 10, window: '1s' }),
      { name: 'daily', limit: 1000, window: '1d', cost: (req) => Number(req.get('x-units') ?? 1) },
      { limit: concurrency({ limit: 3, lease: '30s' }), keyGenerator: byIp(), enforce: 0 },
    ],
  }),
);

// Any store, and the other options.
app.use(rateLimit({ limit: 5, window: '1m', store: new MemoryStore({ maxKeys: 10_000 }) }));
app.use(rateLimit({ limit: 5, window: '1m', store: remote, onStoreError: 'deny' }));
app.use(rateLimit({ limit: 5, window: '1m', store: either, standardHeaders: 'draft-7', legacyHeaders: false }));
app.use(rateLimit({ limit: 5, window: '1m', statusCode: 503, message: 'Later, please.', allowList: ['10.0.0.0/8'] }));
app.use(rateLimit({ limit: 5, window: '1m', message: { error: 'slow down' }, denyList: ['2001:db8::/32'] }));

// Options that are made elsewhere.
export const options: RateLimitOptions = { limit: 5, window: '1m', enforce: () => 0.5 };
app.use(rateLimit(options), rateLimit({ ...options, name: 'other' }));
const notify = (req: Request, _res: Response, { policy }: Decision): void => console.log(req.path, policy);
app.use(rateLimit({ ...options, onLimitReached: notify }));

// The reservation in a handler, over any store.
app.post('/chat', async (req, res) => {
  await req.rateLimit?.settle(120);
  await req.rateLimit?.settle({ tokens: 120 });
  await req.rateLimit?.cancel();
  res.end();
});

// Fields of one's own, requests without a key, units, and what is told of decisions.
app.use(
  rateLimit({
    limits: [
      { name: 'requests', limit: 10, window: '1m' },
      { name: 'tokens', limit: 10_000, window: '1h', cost: (req) => req.url.length, quotaUnit: 'tokens' },
    ],
    keyGenerator: byHeader('x-api-key'),
    onMissingKey: async (req) => req.ip ?? 'nobody',
    legacyHeaders: { limit: false, reset: 'X-Reset', resetAs: 'epoch' },
    extraHeaders: (req, _res, { policy, allowed }) =>
      allowed ? { 'X-Path': req.path, 'X-Policy': policy } : undefined,
    onDecision: (req, res, decision) => void [req.path, res.statusCode, decision.tightest.quotaUnit],
    retryAfter: false,
  }),
);
