import { Controller, Get, Injectable, Module, Post } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  byIp,
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitModuleOptions,
  SkipRateLimit,
} from '@sluice/nestjs';

// Named throttlers: { name: 'short', ttl: 1000, limit: 3 } and { name: 'long', ttl: 60_000, limit: 10 }.
const SHORT = { name: 'short', limit: 3, window: 1000 };
const LONG = { name: 'long', limit: 10, window: 60_000 };

@Controller('cats')
export class CatsController {
  @Get()
  list() {
    return ['Tom'];
  }

  @Get('search')
  @RateLimit({ limits: [{ ...SHORT, limit: 1 }, LONG] }) // @Throttle({ short: { ttl: 1000, limit: 1 } })
  search() {
    return 'found';
  }

  @Post('login')
  @RateLimit('login') // @Throttle({ default: { ttl: 900_000, limit: 5 } })
  login() {
    return 'welcome';
  }

  @Get('picture')
  @RateLimit({ limits: [LONG] }) // @SkipThrottle({ short: true })
  picture() {
    return 'picture';
  }
}

@Controller('health')
@SkipRateLimit() // @SkipThrottle()
export class HealthController {
  @Get()
  check() {
    return 'fine';
  }
}

const CONTROLLERS = [CatsController, HealthController];
const LOGIN = { limit: 5, window: '15m' } as const;
const GUARD = { provide: APP_GUARD, useClass: RateLimitGuard }; // ThrottlerGuard

/** ThrottlerModule.forRoot([{ ttl: 60_000, limit: 10 }]) */
@Module({
  imports: [RateLimitModule.forRoot({ limit: 10, window: 60_000, policies: { login: LOGIN } })],
  controllers: CONTROLLERS,
  providers: [GUARD],
})
export class OneLimit {}

/** The same, and ten for every handler by itself, which is how the throttler counts. */
@Module({
  imports: [
    RateLimitModule.forRoot({
      limit: 10,
      window: 60_000,
      keyGenerator: [byIp(), (_req, context) => `${context.getClass().name}.${context.getHandler().name}`],
      policies: { login: LOGIN },
    }),
  ],
  controllers: CONTROLLERS,
  providers: [GUARD],
})
export class OneLimitPerHandler {}

/** ThrottlerModule.forRoot([short, long]): both hold everywhere, and are decided in one step. */
@Module({
  imports: [RateLimitModule.forRoot({ limits: [SHORT, LONG], policies: { login: LOGIN } })],
  controllers: CONTROLLERS,
  providers: [GUARD],
})
export class NamedLimits {}

/** Where the numbers come from: a ConfigService, most often. */
@Injectable()
export class Settings {
  readonly limit = 10;
  readonly window = '1m';
}

@Module({ providers: [Settings], exports: [Settings] })
export class SettingsModule {}

/** ThrottlerModule.forRootAsync({ imports, inject, useFactory }) */
@Module({
  imports: [
    RateLimitModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: async ({ limit, window }: Settings): Promise<RateLimitModuleOptions> => ({
        limit,
        window,
        policies: { login: LOGIN },
      }),
    }),
  ],
  controllers: CONTROLLERS,
  providers: [GUARD],
})
export class AsyncLimits {}
