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
import { CLIENT_FIELD, GREETING, type Serve, type Variant } from './serve.js';

interface Protection {
  readonly imports?: DynamicModule[];
  readonly guard: Provider;
}

const clientOf = (request: { headers: Readonly<Record<string, unknown>> }): string =>
  `${request.headers[CLIENT_FIELD]}`;

const PROTECTION: Readonly<Record<Exclude<Variant, 'bare route'>, (quota: Quota) => Promise<Protection>>> = {
  async 'bare Map counter'(quota) {
    const count = await headerCounter(quota);
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

  Sluice: async ({ limit, windowMs }) => ({
    imports: [RateLimitModule.forRoot({ limit, window: windowMs, keyGenerator: clientOf })],
    guard: { provide: APP_GUARD, useClass: RateLimitGuard },
  }),

  peer: async ({ limit, windowMs }) => ({
    imports: [ThrottlerModule.forRoot({ throttlers: [{ limit, ttl: windowMs }], getTracker: clientOf as never })],
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
  (adapter: () => AbstractHttpAdapter): Serve =>
  async (variant, quota) => {
    const { imports = [], guard } = variant === 'bare route' ? { guard: undefined } : await PROTECTION[variant](quota);

    @Module({ imports, controllers: [Greeter], providers: guard ? [guard] : [] })
    class App {}

    const app = await NestFactory.create(App, adapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    return { port: (app.getHttpServer().address() as AddressInfo).port, close: () => app.close() };
  };
