import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type INestApplication, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { GraphQLModule, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { concurrency, everyone, RateLimit, RateLimitGuard, RateLimitModule, SkipRateLimit } from '@sluice/nestjs';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const SLOT = concurrency({ limit: 1, lease: '30s' });

@Resolver()
class Shop {
  @Query(() => String)
  price(): string {
    return 'cheap';
  }

  @Mutation(() => String)
  @RateLimit('login')
  login(): string {
    return 'welcome';
  }

  @Query(() => String)
  @SkipRateLimit()
  health(): string {
    return 'fine';
  }

  @Subscription(() => String)
  @RateLimit('feeds')
  async *feed(): AsyncGenerator<{ feed: string }> {
    for (const feed of ['one', 'two']) yield { feed };
  }
}

@Module({
  imports: [
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      subscriptions: { 'graphql-ws': true },
      context: ({ req, res, extra }: { req?: object; res?: object; extra?: { request: object } }) => ({
        req: req ?? extra?.request,
        res,
      }),
    }),
    RateLimitModule.forRoot({
      limit: 3,
      window: '1m',
      policies: {
        login: { limit: 2, window: '1m' },
        feeds: { limit: SLOT, keyGenerator: everyone() },
      },
    }),
  ],
  providers: [Shop, { provide: APP_GUARD, useClass: RateLimitGuard }],
})
class AppModule {}

let app: INestApplication | undefined;

async function start(): Promise<string> {
  app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  return `127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/graphql`;
}

afterEach(() => app?.close());

interface Answered {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

async function ask(url: string, query: string): Promise<{ response: Response; body: Answered }> {
  const response = await fetch(`http://${url}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return { response, body: (await response.json()) as Answered };
}

describe('On a GraphQL server', () => {
  it('queries are counted by address, stated in header fields, and refused with an error', async () => {
    const url = await start();
    const first = await ask(url, '{ price }');
    expect(first.body).toEqual({ data: { price: 'cheap' } });
    expect(first.response.headers.get('ratelimit')).toBe('"per-1m";r=2;t=60');
    await ask(url, '{ price }');
    await ask(url, '{ price }');
    const { response, body } = await ask(url, '{ price }');
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['RATE_LIMITED']);
    expect(response.headers.get('retry-after')).toBe('60');
    await expect(ask(url, '{ health }')).resolves.toMatchObject({ body: { data: { health: 'fine' } } });
  });

  it('each alias of a mutation counts, so that one document allows no more guesses than many', async () => {
    const url = await start();
    const { body } = await ask(url, 'mutation { a: login b: login c: login d: login }');
    // A mutation's fields run one after the other; the first that fails leaves no data.
    expect(body.errors?.map(({ extensions }) => extensions.code)).toContain('RATE_LIMITED');
    const again = await ask(url, 'mutation { login }');
    expect(again.body.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
  });

  it('a subscription holds its slot until its stream ends', async () => {
    const url = await start();
    const client = createClient({ url: `ws://${url}`, webSocketImpl: WebSocket });
    const feed = async (): Promise<unknown[]> => {
      const received: unknown[] = [];
      for await (const { data, errors } of client.iterate({ query: 'subscription { feed }' }))
        received.push(errors ?? data);
      return received;
    };
    for (let i = 0; i < 3; i += 1) expect(await feed()).toEqual([{ feed: 'one' }, { feed: 'two' }]);
    await client.dispose();
  });
});
