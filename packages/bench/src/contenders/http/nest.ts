import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import {
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Get,
  HttpException,
  Module,
  type Provider,
} from '@nestjs/common';
import { type AbstractHttpAdapter, APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { RateLimitGuard, RateLimitModule } from '@sluice/nestjs';
import type { Quota } from '../../contender.js';
import { headerCounter } from './header-counter.js';
import { CLIENT_FIELD, GREETING, type Identity, type Serve, type Variant } from './serve.js';

interface Protection {
  readonly imports?: DynamicModule[];
  readonly guard: Provider;
}

interface Request {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly ip?: string | undefined;
}

const CLIENT_OF: Readonly<Record<Identity, (request: Request) => string>> = {
  address: ({ ip = '' }) => ip,
  header: ({ headers }) => `${headers[CLIENT_FIELD]}`,
};

type Protect = (quota: Quota, identity: Identity) => Promise<Protection>;

/** By address, everybody does what they do by default. */
const PROTECTION: Readonly<Record<Exclude<Variant, 'bare route'>, Protect>> = {
  async 'bare Map counter'(quota, identity) {
    const count = await headerCounter(quota);
    const clientOf = CLIENT_OF[identity];
    const guard: CanActivate = {
      canActivate(context: ExecutionContext) {
        const http = context.switchToHttp();
        const { headers, refusal } = count(clientOf(http.getRequest()));
        const response = http.getResponse<{ header(name: string, value: string): unknown }>();
        for (const name in headers) response.header(name, headers[name] as string);
        if (refusal !== undefined) throw new HttpException(refusal, 429);
        return true;
      },
    };
    return { guard: { provide: APP_GUARD, useValue: guard } };
  },

  Sluice: async ({ limit, windowMs }, identity) => ({
    imports: [
      RateLimitModule.forRoot({
        limit,
        window: windowMs,
        ...(identity === 'header' && { keyGenerator: CLIENT_OF.header }),
      }),
    ],
    guard: { provide: APP_GUARD, useClass: RateLimitGuard },
  }),

  peer: async ({ limit, windowMs }, identity) => ({
    imports: [
      ThrottlerModule.forRoot({
        throttlers: [{ limit, ttl: windowMs }],
        ...(identity === 'header' && { getTracker: CLIENT_OF.header as never }),
      }),
    ],
    guard: { provide: APP_GUARD, useClass: ThrottlerGuard },
  }),
};

@Controller()
class Greeter {
  @Get()
  greet(): typeof GREETING {
    return GREETING;
  }
}

export const serveOn =
  (adapter: (identity: Identity) => AbstractHttpAdapter): Serve =>
  async (variant, quota, identity) => {
    const { imports = [], guard } =
      variant === 'bare route' ? { guard: undefined } : await PROTECTION[variant](quota, identity);

    @Module({ imports, controllers: [Greeter], providers: guard ? [guard] : [] })
    class App {}

    const app = await NestFactory.create(App, adapter(identity), { logger: false });
    await app.listen(0, '127.0.0.1');
    return { port: (app.getHttpServer().address() as AddressInfo).port, close: () => app.close() };
  };
