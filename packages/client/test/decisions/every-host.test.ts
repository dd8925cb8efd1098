import { afterEach, describe, expect, it } from '@jest/globals';
import { type DecisionsLimiter, decisions } from '@sluice/client/decisions';
import type { AdapterOptions, RunningAdapter, StartAdapter } from '@sluice/conformance';
import { MemoryStore } from '@sluice/core';
import type { LimiterOptions } from '@sluice/core/http';
import express5 from 'express';
import express4 from 'express4';
import { startOn } from '../../../express/test/express-host.js';
import { start as startOnFastify } from '../../../fastify/test/fastify-host.js';
import { start as startOnFetch } from '../../../fetch/test/fetch-host.js';
import { start as startOnHono } from '../../../hono/test/hono-host.js';
import { start as startOnKoa } from '../../../koa/test/koa-host.js';
import {
  startOnExpress as startNestOnExpress,
  startOnFastify as startNestOnFastify,
} from '../../../nestjs/test/nest-host.js';
import { type DecisionServer, startDecisionServer } from '../../../server/test/decisions/decision-server.js';

const HOSTS: readonly [name: string, start: StartAdapter][] = [
  ['Express 4', startOn(express4)],
  ['Express 5', startOn(express5)],
  ['Fastify', startOnFastify],
  ['Nest on Express', startNestOnExpress],
  ['Nest on Fastify', startNestOnFastify],
  ['Hono', startOnHono],
  ['fetch', startOnFetch],
  ['Koa', startOnKoa],
];

const TEXT = `version: 1
policies:
  api: { limits: [{ name: minute, limit: 4, window: 1m }, { name: bucket, algorithm: token-bucket, capacity: 6, refillRate: 0.1 }] }
  denied: { limits: [{ name: minute, limit: 4, window: 1m }], denyList: [127.0.0.1] }
  exempt: { limits: [{ name: minute, limit: 4, window: 1m }], allowList: [127.0.0.1] }
`;

/** Options of all kinds of policies, as the hosts pass them on. */
type Policies = readonly (AdapterOptions | LimiterOptions<readonly unknown[]> | DecisionsLimiter)[];

/** What a client sees of an answer, without what differs from answer to answer. */
interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function opened<T extends { close(): unknown }>(one: T): T {
  open.push(one);
  return one;
}

/** An application that asks a service, and one that has the policies itself. Each has its own counters, and the same time. */
class Pair {
  readonly service: DecisionServer;
  readonly own: DecisionServer;
  readonly remote: DecisionsLimiter;

  private constructor(service: DecisionServer, own: DecisionServer, policy: string) {
    this.service = service;
    this.own = own;
    this.remote = opened(decisions({ url: service.url, policy, deadline: '10s', onStoreError: 'deny' }));
  }

  static async start(policy = 'api'): Promise<Pair> {
    const servers = [await startDecisionServer({ text: TEXT }), await startDecisionServer({ text: TEXT })] as const;
    return new Pair(opened(servers[0]), opened(servers[1]), policy);
  }

  /** The policy of the file, in the process itself. */
  local(further: object = {}): AdapterOptions {
    return this.own.parts.service.live.policy(this.remote.name, further) as object as AdapterOptions;
  }

  advance(ms: number): void {
    this.service.clock.advance(ms);
    this.own.clock.advance(ms);
  }
}

async function serve(start: StartAdapter, policies: Policies, status = 200): Promise<RunningAdapter> {
  return opened(
    await start({
      policies: () => policies as readonly AdapterOptions[],
      handle: ({ rateLimit }) => ({ status, body: { used: rateLimit?.tightest.used, source: rateLimit?.source } }),
    }),
  );
}

async function ask({ url }: RunningAdapter): Promise<Seen> {
  const response = await fetch(`${url}/v1/things?page=2`);
  const { date: _, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

/** Asks both several times, and returns the statuses. */
async function compare(pair: Pair, local: RunningAdapter, remote: RunningAdapter, times = 8): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const [expected, seen] = [await ask(local), await ask(remote)];
    expect(seen).toEqual(expected);
    statuses.push(seen.status);
    pair.advance(i === 5 ? 20_000 : 1300);
  }
  return statuses;
}

describe.each(HOSTS)('on %s, a limiter over the service', (_, start) => {
  it('makes the same answers, byte for byte, as the policy in the process itself', async () => {
    const pair = await Pair.start();
    const statuses = await compare(pair, await serve(start, [pair.local()]), await serve(start, [pair.remote]));
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  });

  it('joins the fields of the policies around it, and all or none of them spend', async () => {
    const pair = await Pair.start();
    const around = (inner: Policies[number], { clock }: DecisionServer): Policies => {
      const store = new MemoryStore({ clock });
      const named = (name: string, limit: number) => ({ name, limit, window: '1m', store }) as const;
      return [named('outer', 50), inner, named('inner', 3)];
    };
    const local = await serve(start, around(pair.local(), pair.own));
    const remote = await serve(start, around({ limiter: pair.remote }, pair.service));
    expect(await compare(pair, local, remote)).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    // What the inner policy refused was given back.
    const key = { policy: 'api', request: { address: '127.0.0.1' } };
    expect(await pair.service.left(key)).toBe(1);
  });

  it('calls the hooks, skips, and takes options about the answer', async () => {
    const pair = await Pair.start();
    const reached: unknown[] = [];
    const further = {
      onLimitReached: (...args: readonly unknown[]) => void reached.push(args.at(-1)),
      message: 'enough',
      standardHeaders: 'draft-7',
      legacyHeaders: false,
      extraHeaders: { 'X-Plan': 'free' },
    } as const;
    const local = await serve(start, [pair.local(further)]);
    const remote = await serve(start, [{ limiter: pair.remote, ...further }]);
    await compare(pair, local, remote, 5);
    expect(reached).toHaveLength(2);
    expect(reached[1]).toMatchObject({ policy: 'api', allowed: false, source: 'store' });
    const skipping = await serve(start, [{ limiter: pair.remote, skip: () => true }]);
    expect(await ask(skipping)).toMatchObject({ status: 200, body: '{}' });
  });

  it.each([
    ['denied', 403],
    ['exempt', 200],
  ])('answers an address that is %s by the file with %i', async (policy, status) => {
    const pair = await Pair.start(policy);
    const statuses = await compare(pair, await serve(start, [pair.local()]), await serve(start, [pair.remote]), 2);
    expect(statuses).toEqual([status, status]);
  });

  it('gives back what failed requests have spent', async () => {
    const pair = await Pair.start();
    const remote = await serve(start, [{ limiter: pair.remote, skipFailedRequests: true }], 500);
    for (let i = 0; i < 6; i += 1) expect((await ask(remote)).status).toBe(500);
    const key = { policy: 'api', request: { address: '127.0.0.1' } };
    for (let i = 0; i < 100 && (await pair.service.left(key)) < 4; i += 1) await new Promise(setImmediate);
    expect(await pair.service.left(key)).toBe(4);
  });
});
