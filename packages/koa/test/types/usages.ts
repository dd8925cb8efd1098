/** Everyday usages: each must compile, and infer what is written on its left. Nothing here runs. */
import {
  byHeader,
  byIp,
  concurrency,
  type Decision,
  firstOf,
  type HttpReservation,
  ipKey,
  type LoadState,
  type PolicyHandle,
  type RateLimitMiddleware,
  type RateLimitOptions,
  rateLimit,
  type Shedder,
  type ShedLoadMiddleware,
  type ShedLoadOptions,
  shedLoad,
  slidingWindow,
} from '@sluice/koa';
import Koa, { type Context, type Middleware } from 'koa';

interface OwnState {
  user: { id: string } | undefined;
}

// On an application without types, and on one with a state of its own.
const plain = new Koa();
plain.use(rateLimit({ limit: 100, window: '1m' }));
const app = new Koa<OwnState>();
app.use(rateLimit({ limit: 100, window: 60_000 }));
plain.use((ctx) => {
  const reservation: HttpReservation | undefined = ctx.state.rateLimit;
  const load: LoadState | undefined = ctx.state.load;
  ctx.body = { remaining: reservation?.tightest.remaining, busy: load?.isShedding };
});

// A middleware, and a handle.
const limiter = rateLimit({ name: 'login', limit: 5, window: '15m', skipSuccessfulRequests: true });
export const middleware: Middleware = limiter;
export const same: RateLimitMiddleware = limiter;
export const handle: PolicyHandle<[ctx: Context]> = limiter;
export const done: Promise<boolean> = limiter.reset(ipKey('203.0.113.7'));
export const looks = (ctx: Context): Promise<Decision>[] => [limiter.peek(ctx), handle.peek('ann', { cost: 5 })];

// Callbacks get the context, and the decision last.
app.use(
  rateLimit({
    limits: [slidingWindow({ name: 'burst', limit: 10, window: '1s' }), concurrency({ limit: 3, lease: '30s' })],
    keyGenerator: (ctx) => ctx.get('x-user'),
    skip: (ctx) => ctx.path === '/health',
    cost: async (ctx) => Number(ctx.query.units ?? 1),
    requestWasSuccessful: (ctx) => ctx.status !== 401,
    skipFailedRequests: true,
    message: (ctx, decision) => ({ path: ctx.path, retryAfterMs: decision.retryAfterMs }),
    onLimitReached: (ctx, { retryAfterMs }) => {
      ctx.status = 429;
      ctx.body = { retryAfterMs };
    },
    onDecision: (ctx, { policy }) => void [ctx.method, policy],
    extraHeaders: (ctx, { policy }) => ({ 'X-Path': ctx.path, 'X-Policy': policy }),
  }),
);
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), (ctx) => ctx.path, byIp()) }));
app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: [byIp({ ipv6Subnet: 64 }), byHeader('x-api-key')] }));

export const options: RateLimitOptions = { limit: 5, window: '1m', enforce: () => 0.5 };
app.use(rateLimit(options)).use(rateLimit({ ...options, name: 'other' }));

// Load shedding, with the shedder for elastic limits.
const shed: ShedLoadMiddleware = shedLoad({
  priority: (ctx) => (ctx.path === '/pay' ? 'critical' : undefined),
  skip: (ctx) => ctx.get('x-internal') !== '',
  trustPriority: ['10.0.0.0/8'],
  health: ['/health'],
  headroom: { normal: 0.2, low: 0.5 },
  onShed: (ctx) => void ctx.url,
});
export const shedder: Shedder = shed.shedder;
export const shedding: ShedLoadOptions = { shedder, isStream: (ctx) => ctx.path === '/events' };
app.use(shedLoad()).use(shed);
app.use(rateLimit({ limit: 100, window: '1m', elastic: { upTo: 150, while: shed.shedder.calm } }));
