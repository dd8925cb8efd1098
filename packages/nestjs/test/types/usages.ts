/** Everyday usages: each must compile, and infer what is written on its left. Nothing here runs. */
import './declared.js';
import {
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Module,
  Post,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  byHeader,
  byIp,
  CurrentLoad,
  CurrentRateLimit,
  type Decision,
  everyone,
  firstOf,
  ipKey,
  LoadSheddingModule,
  type LoadState,
  type PolicyHandle,
  type PolicyLike,
  type PolicyName,
  RATE_LIMIT_STORE,
  RateLimit,
  type RateLimitException,
  RateLimitGuard,
  RateLimitInterceptor,
  RateLimitModule,
  type RateLimitModuleOptions,
  type RateLimitOptions,
  type RateLimitService,
  type RequestOf,
  type Reservation,
  SHEDDER,
  type Shedder,
  type ShedLoadMiddleware,
  type ShedLoadOptions,
  SkipRateLimit,
  type Store,
  shedLoad,
  tokenBucket,
  unlimited,
} from '@sluice/nestjs';

declare const store: Store<true>;

const minute = { limit: 5, window: '1m' } as const;
const policies = { login: minute, chat: { limit: tokenBucket({ capacity: 10, refillRate: 1 }) } };

// The module, with and without a policy of its own.
RateLimitModule.forRoot({ limit: 100, window: '1m' });
RateLimitModule.forRoot({ limit: 100, window: '1m', store, policies });
RateLimitModule.forRoot({ policies, keyGenerator: (req) => req.user?.id, standardHeaders: 'draft-7' });
RateLimitModule.forRoot({});
RateLimitModule.forRootAsync({ inject: ['config'], useFactory: async (limit: number) => ({ limit, window: '1m' }) });

class Config {
  createRateLimitOptions(): RateLimitModuleOptions {
    return { ...minute, policies };
  }
}
RateLimitModule.forRootAsync({ useClass: Config });
RateLimitModule.forRootAsync({ useExisting: Config });

@Module({
  providers: [
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: RATE_LIMIT_STORE, useValue: store },
  ],
})
export class App {}

// Callbacks get the declared request, the context, and the decision last.
export const options: RateLimitOptions = {
  limit: (req) => (req.user?.plan === 'paid' ? unlimited() : tokenBucket({ capacity: 10, refillRate: 1 })),
  keyGenerator: [byIp(), (req) => req.user?.id],
  skip: (req, context) => req.path === '/health' || context.getHandler().name === 'health',
  cost: async (req) => Number(req.get('content-length') ?? 1),
  message: (req, _context, decision) => ({ path: req.path, retryAfterMs: decision.retryAfterMs }),
  onLimitReached: (_req, context: ExecutionContext, decision: Decision) =>
    context.switchToHttp().getResponse().json({ policy: decision.policy }),
};

// Decorators, on classes and methods, with names and options.
@Controller()
@UseGuards(RateLimitGuard)
@RateLimit('chat')
export class Chat {
  @Post()
  @RateLimit('login', 'default', minute, { ...options, name: 'own', keyGenerator: everyone() })
  async chat(@CurrentRateLimit() rateLimit?: Reservation): Promise<number | undefined> {
    await rateLimit?.settle(120);
    return rateLimit?.tightest.remaining;
  }

  @Get()
  @RateLimit({ ...minute, keyGenerator: firstOf(byHeader('x-api-key'), byIp()) })
  @SkipRateLimit('login')
  read(): void {}

  @Get('health')
  @SkipRateLimit()
  health(): void {}
}

// The service's handles.
export const done = (service: RateLimitService): Promise<boolean> =>
  service.policy('login').reset(ipKey('203.0.113.7'));
export const handle = (service: RateLimitService): PolicyHandle => service.policy('default');
export const name: PolicyName = 'chat';

// A guard of one's own.
export class OwnGuard extends RateLimitGuard {
  protected override requestOf(context: ExecutionContext): RequestOf {
    return context.getArgByIndex(2).req;
  }
  protected override policiesOf(context: ExecutionContext): readonly PolicyLike[] {
    return [...super.policiesOf(context), 'chat'];
  }
  protected override async refuse(_context: ExecutionContext, exception: RateLimitException): Promise<never> {
    const decision: Decision | undefined = exception.decision;
    throw new Error(`${decision?.policy} ${exception.getStatus()} ${exception.refusal.body}`);
  }
}
export const interceptor = new RateLimitInterceptor();

// Load shedding, as a module and as middleware.
const shedding: ShedLoadOptions = {
  priority: (req) => (req.url?.startsWith('/pay') ? 'critical' : 'low'),
  trustPriority: ['10.0.0.0/8'],
  health: ['/api/health'],
  onShed: (req, res) => void [req.method, res.statusCode],
};
LoadSheddingModule.forRoot();
LoadSheddingModule.forRoot(shedding);
LoadSheddingModule.forRootAsync({ inject: ['config'], useFactory: async (max: number) => ({ inFlight: { max } }) });
class SheddingConfig {
  createLoadSheddingOptions(): ShedLoadOptions {
    return shedding;
  }
}
LoadSheddingModule.forRootAsync({ useClass: SheddingConfig });
RateLimitModule.forRootAsync({
  inject: [SHEDDER],
  useFactory: ({ calm }: Shedder) => ({ ...minute, policies, elastic: { upTo: 10, while: calm } }),
});
export const busy = (req: RequestOf): boolean | undefined => req.load?.isShedding;
export const first = (app: INestApplication): void => {
  const shed: ShedLoadMiddleware = shedLoad({ ...shedding, loop: { target: '50ms' } });
  app.use(shed);
};

@Controller()
export class Feed {
  constructor(@Inject(SHEDDER) private readonly shedder: Shedder) {}

  @Get()
  feed(@CurrentLoad() load?: LoadState): boolean | undefined {
    return load?.isShedding ?? this.shedder.state.isShedding;
  }
}
