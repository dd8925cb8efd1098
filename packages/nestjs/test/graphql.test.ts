import { describe, expect, it } from '@jest/globals';
import { Injectable, UnauthorizedException, UseGuards } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ExternalContextCreator } from '@nestjs/core';
import type { Request } from 'express';
import {
  CurrentRateLimit,
  concurrency,
  everyone,
  RateLimit,
  RateLimitException,
  RateLimitGuard,
  type RateLimitModuleOptions,
  type Reservation,
} from '../src/index.js';
import { startApp } from './apps.js';

const TWO = { limit: 2, window: '1m' } as const;

@Injectable()
class Resolver {
  @UseGuards(RateLimitGuard)
  login(@CurrentRateLimit() rateLimit?: Reservation) {
    return rateLimit?.tightest.remaining;
  }

  @RateLimit('failing')
  fail(): never {
    throw new UnauthorizedException();
  }

  @RateLimit('slots')
  async *news() {
    yield 1;
    yield 2;
  }
}

/** Calls resolvers as Nest's GraphQL does, which brings the context of the request. */
async function start(options: Partial<RateLimitModuleOptions> = {}) {
  const policies = { failing: { ...TWO, skipFailedRequests: true }, slots: SLOTS };
  const app = await startApp({ ...TWO, policies, ...options } as RateLimitModuleOptions, { providers: [Resolver] });
  const resolver = app.get(Resolver);
  const contexts = app.get(ExternalContextCreator);
  const paramsFactory = { exchangeKeyForValue: () => undefined };
  return (name: 'login' | 'fail' | 'news', context: object): Promise<unknown> => {
    const call = contexts.create(
      resolver,
      resolver[name] as (...args: unknown[]) => unknown,
      name,
      ROUTE_ARGS_METADATA,
      paramsFactory,
      undefined,
      undefined,
      undefined,
      'graphql',
    );
    return call(undefined, {}, context, {});
  };
}

const SLOTS = { limit: concurrency({ limit: 1, lease: '30s' }), keyGenerator: everyone() };

const contextOf = (ip: string) => ({ req: { method: 'POST', url: '/graphql', headers: {}, ip } as Partial<Request> });

describe('GraphQL', () => {
  it("counts each call of a resolver once, by the request's address, however many calls a request has", async () => {
    const call = await start();
    const context = contextOf('203.0.113.7');
    expect(await Promise.all([call('login', context), call('login', context)])).toEqual([1, 0]);
    await expect(call('login', context)).rejects.toThrow(RateLimitException);
    expect(await call('login', contextOf('203.0.113.8'))).toBe(1);
  });

  it('refuses with an error that has extensions', async () => {
    const call = await start({ limit: 0 } as RateLimitModuleOptions);
    const error = await call('login', contextOf('203.0.113.7')).catch((error: unknown) => error);
    expect(error).toMatchObject({ extensions: { code: 'RATE_LIMITED', http: { status: 429 } } });
  });

  it('refuses a call without a key by the status of onMissingKey', async () => {
    const call = await start({ keyGenerator: () => undefined, onMissingKey: 401 });
    const error = await call('login', contextOf('203.0.113.7')).catch((error: unknown) => error);
    expect(error).toMatchObject({
      extensions: { code: 'UNAUTHENTICATED', http: { status: 401 } },
      decision: undefined,
    });
    expect((error as RateLimitException).getResponse()).toMatchObject({ title: 'Unauthorized', status: 401 });
  });

  it('refuses an address on the deny list as forbidden', async () => {
    const call = await start({ denyList: ['203.0.113.7'] });
    const error = await call('login', contextOf('203.0.113.7')).catch((error: unknown) => error);
    expect(error).toMatchObject({ extensions: { code: 'FORBIDDEN', http: { status: 403 } } });
  });

  it('has the code of a limit, whatever the status of the policy', async () => {
    const call = await start({ limit: 0, statusCode: 403 } as RateLimitModuleOptions);
    const error = await call('login', contextOf('203.0.113.7')).catch((error: unknown) => error);
    expect(error).toMatchObject({ extensions: { code: 'RATE_LIMITED', http: { status: 403 } } });
  });

  it('passes the request unchanged to callbacks, and uses the response if there is one', async () => {
    const call = await start({ keyGenerator: (request) => (request as { user?: string }).user });
    const { req } = contextOf('203.0.113.7');
    const headers: Record<string, unknown> = {};
    const res = {
      headersSent: false,
      setHeader: (name: string, value: string) => Object.assign(headers, { [name]: value }),
    };
    expect(await call('login', { req: { ...req, user: 'ann' }, res })).toBe(1);
    expect(await call('login', { req: { ...req, user: 'bob' }, res })).toBe(1);
    expect(headers).toMatchObject({ RateLimit: '"per-1m";r=1;t=60' });
  });

  it('does not count clients together if the context has no request', async () => {
    const call = await start();
    await expect(call('login', {})).rejects.toMatchObject({ code: 'SLUICE_KEY' });
  });

  it('gives back the charge of a call that failed', async () => {
    const call = await start();
    for (let i = 0; i < 4; i += 1) await expect(call('fail', contextOf('::1'))).rejects.toThrow(UnauthorizedException);
  });

  it.each<[how: string, end: (stream: AsyncGenerator<number>) => Promise<unknown>]>([
    ['ends', async (stream) => [await stream.next(), await stream.next(), await stream.next()]],
    ['is left', (stream) => stream.return(undefined)],
    ['fails', (stream) => stream.throw(new Error('broken')).catch(() => {})],
  ])('holds the slot of a subscription until its stream %s', async (_, end) => {
    const call = await start();
    const stream = (await call('news', contextOf('::1'))) as AsyncGenerator<number>;
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    await expect(call('news', contextOf('::2'))).rejects.toThrow(RateLimitException);
    await end(stream);
    const next = (await call('news', contextOf('::2'))) as AsyncGenerator<number>;
    await next.return(undefined);
  });
});
