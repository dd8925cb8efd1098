/** Everyday usages of the published declarations: each must compile, and infer what is written on its left. Nothing here runs. */
import '@sluice/core/calendars';
import { limitedFetch } from '@sluice/client';
import { decisions } from '@sluice/client/decisions';
import { limitInterceptor } from '@sluice/client/undici';
import { DurableObjectStore, LimitsObject, type ObjectState } from '@sluice/cloudflare';
import { clusterStore } from '@sluice/cluster';
import { fromFile, policies } from '@sluice/config';
import { storeSuite } from '@sluice/conformance';
import { vectors } from '@sluice/conformance/vectors';
import { createLimiter, type Decision, type Limiter, MemoryStore, SluiceError, type Store } from '@sluice/core';
import { LeasedStore } from '@sluice/core/distributed';
import type { HttpReservation } from '@sluice/core/http';
import { createShedder, type LoadState, type Shedder } from '@sluice/core/load';
import { type CompareAndSwapBackend, compareAndSwapStore } from '@sluice/core/store';
import { ManualClock } from '@sluice/core/testing';
import { optionError } from '@sluice/core/values';
import * as onExpress from '@sluice/express';
import type * as onFastify from '@sluice/fastify';
import rateLimitPlugin from '@sluice/fastify';
import * as onFetch from '@sluice/fetch';
import * as onHono from '@sluice/hono';
import { createLlm, type Llm } from '@sluice/llm';
import { limitMiddleware } from '@sluice/llm/ai-sdk';
import { providerFetch } from '@sluice/llm/fetch';
import { createFakeProvider } from '@sluice/llm/testing';
import { metricsHandler, prometheusMetrics } from '@sluice/metrics';
import * as onNest from '@sluice/nestjs';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';
import { SqliteStore } from '@sluice/sqlite';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { Redis } from 'ioredis';

// What one entry point makes, another takes.
const clock = new ManualClock();
const memory: Store = new MemoryStore({ clock });
const limiter: Limiter<string> = createLimiter({ limit: 1, window: '1m', store: memory });
const isOurs: boolean = optionError('limit', 'must be a number', 'ten') instanceof SluiceError;
const shedder: onExpress.Shedder = createShedder({});
const sameShedder: Shedder = shedder;
declare const backend: CompareAndSwapBackend;
declare const env: { readonly LIMITS: ConstructorParameters<typeof DurableObjectStore>[0]['namespace'] };
declare const state: ObjectState;
const object: { alarm(): Promise<void> } = new LimitsObject(state);
const stores: readonly Store[] = [
  new LeasedStore({ store: new RedisStore({ client: new Redis() }) }),
  compareAndSwapStore(backend),
  new LeasedStore({ store: clusterStore() }),
  new DurableObjectStore({ namespace: env.LIMITS, partition: 'all' }),
];

// @ts-expect-error A limit is a number.
createLimiter({ limit: 'ten', window: '1m' });

const app = express();
app.use(onExpress.rateLimit({ limit: 1, window: '1m', store: memory, cost: (req) => req.path.length }));
app.use(onExpress.shedLoad({ shedder }));
app.get('/', (req, res) => {
  const reservation: HttpReservation | undefined = req.rateLimit;
  const load: LoadState | undefined = req.load;
  res.json({ policy: reservation?.policy, level: load });
});

async function onFastifyToo(): Promise<void> {
  const server = fastify();
  await server.register(rateLimitPlugin, { limit: 1, window: '1m' });
  server.get('/', { config: { rateLimit: { limit: 2 } } }, async (request) => {
    const reservation: HttpReservation | undefined = request.rateLimit;
    return reservation?.policy;
  });
  // @ts-expect-error A limit is a number.
  server.get('/wrong', { config: { rateLimit: { limit: 'two' } } }, async () => 'never');
  const factory: onFastify.RateLimitFactory = server.rateLimit;
  factory({ limit: 1 });
}

const fetchLimit = onFetch.rateLimit({ limit: 1, window: '1m' });
async function onFetchToo(request: Request): Promise<Response> {
  const refused: Response | undefined = await fetchLimit(request, { address: '203.0.113.7' });
  const reservation: HttpReservation | undefined = onFetch.rateLimitOf(request);
  return refused ?? onFetch.respond(request, () => new Response(reservation?.policy));
}

const hono = new Hono();
hono.use(onHono.rateLimit({ limit: 1, window: '1m' }));
hono.get('/', (c) => {
  const reservation: HttpReservation | undefined = c.get('rateLimit');
  return c.text(reservation?.policy ?? '');
});

declare module '@sluice/nestjs' {
  interface RateLimitTypes {
    policies: 'login';
  }
}

const name: onNest.PolicyName = 'login';
// @ts-expect-error The application declares its policies.
const wrongName: onNest.PolicyName = 'logout';

class Controller {
  @onNest.RateLimit({ limit: 1, window: '1m' })
  read(@onNest.CurrentRateLimit() reservation: onNest.Decision): string {
    return reservation.policy;
  }
}

export const used = [
  limiter,
  isOurs,
  sameShedder,
  stores,
  object,
  onFastifyToo,
  onFetchToo,
  name,
  wrongName,
  Controller,
  limitedFetch,
  decisions,
  limitInterceptor,
  fromFile,
  policies,
  storeSuite,
  vectors,
  createLlm,
  limitMiddleware,
  providerFetch,
  createFakeProvider,
  metricsHandler,
  prometheusMetrics,
  PostgresStore,
  SqliteStore,
];
export type Used = [Decision, Llm<[]>];
