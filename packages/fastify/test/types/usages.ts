/** Everyday usages: each must compile, and infer what is written on its left. Nothing here runs. */
import rateLimit, {
  byHeader,
  byIp,
  concurrency,
  type Decision,
  duration,
  firstOf,
  ipKey,
  leakyBucket,
  MemoryStore,
  rateLimit as named,
  type PolicyHandle,
  type RateLimitHook,
  type RateLimitOptions,
  type Reservation,
  type Store,
  slidingWindow,
  tokenBucket,
  unlimited,
} from '@sluice/fastify';
import fastify, {
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify';

declare const remote: Store<true>;
declare const either: Store;
declare function userOf(request: FastifyRequest): Promise<{ id: string; plan: 'free' | 'paid' } | undefined>;
declare const signIn: onRequestHookHandler;

const app = fastify();

// One line, by either name, on any server, with what Fastify itself reads.
app.register(rateLimit, { limit: 100, window: '1m' });
app.register(named, { limit: 100, window: 60_000, prefix: '/api', logLevel: 'warn' });
app.register(import('@sluice/fastify'), { limit: 100, window: '1m' });
app.register(rateLimit, () => ({ limit: 100, window: duration(process.env.WINDOW ?? '1m') }));
app.register(rateLimit, { global: false });
app.register(rateLimit, { global: false, keyGenerator: byIp() });
app.register(rateLimit, { global: true, limit: tokenBucket({ capacity: 10, refillRate: 1 }), hook: 'preHandler' });
fastify({ logger: true }).register(rateLimit, { limit: 100, window: '1m' });
fastify({ http2: true }).register(rateLimit, { limit: 100, window: '1m' });
fastify({ https: {} }).register(rateLimit, { limit: 100, window: '1m' });

// Callbacks get Fastify's own request and reply, and the decision last.
app.register(rateLimit, {
  limit: 5,
  window: '1m',
  keyGenerator: (request) => request.ip,
  skip: (request, reply) => request.url === '/health' || reply.hasHeader('x-internal'),
  cost: (request) => Number(request.headers['content-length'] ?? 1),
  requestWasSuccessful: (_request, reply) => reply.statusCode !== 401,
  skipFailedRequests: true,
  message: (request, _reply, decision) => ({ path: request.url, retryAfterMs: decision.retryAfterMs }),
  onLimitReached: async (_request, reply, decision) => {
    const waitMs: number | 'never' = decision.retryAfterMs;
    return reply.code(429).send({ waitMs });
  },
});
app.register(rateLimit, {
  limit: async (request) =>
    (await userOf(request))?.plan === 'paid' ? unlimited() : slidingWindow({ limit: 10, window: '1m' }),
  keyGenerator: async (request) => (await userOf(request))?.id,
});
app.register(rateLimit, {
  keyGenerator: firstOf((request) => request.headers.host, byHeader('x-api-key'), byIp()),
  limits: [
    slidingWindow({ name: 'burst', limit: 10, window: '1s' }),
    { name: 'daily', limit: 1000, window: '1d', cost: (request) => Number(request.headers['x-units'] ?? 1) },
    { limit: concurrency({ limit: 3, lease: '30s' }), keyGenerator: byIp(), enforce: 0 },
  ],
});
app.register(rateLimit, { limit: 5, window: '1m', store: new MemoryStore() });
app.register(rateLimit, { limit: 5, window: '1m', store: remote, onStoreError: 'deny' });
app.register(rateLimit, { limit: 5, window: '1m', store: either, allowList: ['10.0.0.0/8'] });

// Routes, whose handlers infer as if nothing were there.
app.get('/', { config: { rateLimit: false } }, async () => 'ok');
app.get('/strict', { config: { rateLimit: { limit: 5, window: '1m' } } }, async () => 'ok');
app.get('/dear', { config: { rateLimit: { cost: (request) => request.url.length } } }, async () => 'ok');
app.get(
  '/late',
  { config: { rateLimit: { hook: 'preHandler', limit: leakyBucket({ capacity: 9, leakRate: 2 }) } } },
  async () => 'ok',
);
app.get<{ Params: { id: string }; Querystring: { page: number } }>(
  '/users/:id',
  {
    onRequest: [signIn, app.rateLimit({ name: 'users', limit: 5, window: '1m' })],
    config: { rateLimit: { message: 'Later.' } },
  },
  async (request) => {
    const id: string = request.params.id;
    const page: number = request.query.page;
    const reservation: Reservation | undefined = request.rateLimit;
    return { id, page, remaining: reservation?.tightest.remaining };
  },
);

// A hook for anywhere, and a handle.
const limit: RateLimitHook = app.rateLimit({ name: 'login', limit: 5, window: '15m', skipSuccessfulRequests: true });
app.addHook('onRequest', limit);
app.addHook('preParsing', limit);
app.addHook('preValidation', limit);
app.addHook('preHandler', limit);
app.route({
  method: ['GET', 'PUT'],
  url: '/all',
  onRequest: limit,
  preParsing: [limit],
  preHandler: [signIn, limit],
  handler: async () => 'ok',
});
app.setNotFoundHandler({ preHandler: limit }, async () => 'nothing');
export const handle: PolicyHandle = limit;
export const done: Promise<boolean> = limit.reset(ipKey('203.0.113.7'));
export const own: PolicyHandle = app.rateLimit.policy('GET /strict');
export const looks = (request: FastifyRequest, reply: FastifyReply): Promise<Decision>[] => [
  limit.peek(request, reply),
  app.rateLimit.policy('GET /strict').peek(request, reply),
  own.peek(ipKey('203.0.113.7'), { cost: 5 }),
];

// Options, plugins and callbacks that are made elsewhere.
export const options: RateLimitOptions = { limit: 5, window: '1m', enforce: () => 0.5 };
const notify = (request: FastifyRequest, _reply: FastifyReply, { policy }: Decision): void => request.log.info(policy);
app.register(rateLimit, { ...options, name: 'other', onLimitReached: notify });
export const api: FastifyPluginAsync = async (scope) => {
  await scope.register(rateLimit, options);
  scope.post('/chat', async (request) => {
    await request.rateLimit?.settle(120);
    await request.rateLimit?.settle({ units: 120 });
    await request.rateLimit?.cancel();
    return 'ok';
  });
};
