/** Mistakes: none of them may compile. Nothing here runs. */
import './declared.js';
import {
  CurrentRateLimit,
  LoadSheddingModule,
  RateLimit,
  RateLimitModule,
  type RateLimitOptions,
  type RateLimitService,
  SkipRateLimit,
  shedLoad,
} from '@sluice/nestjs';

declare const service: RateLimitService;

const minute = { limit: 5, window: '1m' } as const;
const policies = { login: minute, chat: minute };

// Names that no policy has.
// @ts-expect-error
RateLimit('logon');
// @ts-expect-error
RateLimit('login', minute, 'logon');
// @ts-expect-error
SkipRateLimit('logon');
// @ts-expect-error
service.policy('logon');
// @ts-expect-error
RateLimitModule.forRoot({ policies: { ...policies, logon: minute } });
// @ts-expect-error
RateLimitModule.forRoot({ policies: { login: minute } });

// Options that are none, are missing, or stand in the wrong place.
// @ts-expect-error
RateLimit();
// @ts-expect-error
RateLimit({});
// @ts-expect-error
RateLimit({ limit: 5 });
// @ts-expect-error
RateLimit({ limit: 5, windowMs: 60_000 });
// @ts-expect-error
RateLimit({ ...minute, colour: 'red' });
// @ts-expect-error
SkipRateLimit(minute);
// @ts-expect-error
CurrentRateLimit('login');
// @ts-expect-error
RateLimitModule.forRoot();
// @ts-expect-error
RateLimitModule.forRoot({ limit: '5', window: '1m' });
// @ts-expect-error
RateLimitModule.forRoot({ ttl: 60_000, limit: 5 });
// @ts-expect-error
RateLimitModule.forRoot({ policies: { ...policies, login: { limit: 5 } } });
// @ts-expect-error
RateLimitModule.forRootAsync({ useFactory: () => ({ limit: '5' }) });
// @ts-expect-error
RateLimitModule.forRootAsync({ useClass: class {} });

// Lists, as another library has them.
// @ts-expect-error
RateLimitModule.forRoot([{ ttl: 60_000, limit: 5 }]);
// @ts-expect-error
RateLimitModule.forRoot([minute]);
// @ts-expect-error
RateLimitModule.forRoot([]);
// @ts-expect-error
RateLimitModule.forRootAsync({ useFactory: () => [minute] });
// @ts-expect-error
RateLimitModule.forRootAsync({ useFactory: async () => [{ ttl: 60_000, limit: 5 }] });
// @ts-expect-error
RateLimitModule.forRoot({ policies: { ...policies, login: [minute] } });
// @ts-expect-error
RateLimit([minute]);

// Callbacks that ask for what is not there.
// @ts-expect-error
RateLimit({ ...minute, keyGenerator: (req) => req.tenant });
// @ts-expect-error
RateLimit({ ...minute, keyGenerator: (req) => req.user.id });
// @ts-expect-error
RateLimit({ ...minute, skip: (_req, context) => context.path === '/health' });
// @ts-expect-error
RateLimit({ ...minute, message: () => 5 });
// @ts-expect-error
export const late: RateLimitOptions['onLimitReached'] = (_req, _context, decision) => decision.retryAfter;

// A handle is no limiter.
// @ts-expect-error
service.policy('login').wait('ann');

// Load shedding has no limit, and its callbacks return at once.
// @ts-expect-error
LoadSheddingModule.forRoot({ limit: 5 });
// @ts-expect-error
LoadSheddingModule.forRootAsync({ useFactory: () => ({ priority: 'high' }) });
// @ts-expect-error
shedLoad({ priority: async () => 'low' });
// @ts-expect-error
shedLoad({ skip: (req) => req.path === '/health' });
