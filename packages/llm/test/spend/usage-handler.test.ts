import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createLimiter, MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import express5 from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import {
  createLlm,
  type LlmOptions,
  type LlmPlan,
  type UsageHandler,
  type UsageOptions,
  usd,
} from '../../src/index.js';
import { PRICES } from '../limited.js';

/** What hosts pass first: the request of Node or fetch, or what has it within. */
type Asked = { readonly headers?: unknown; readonly req?: { readonly raw?: Request } };

const NOON = Date.parse('2026-11-29T12:00:00Z');
const PLAN: LlmPlan = { rpm: 10, perDay: usd('1') };
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** The user that a request names. A real application reads a verified token. */
function userOf(asked: Asked): string | undefined {
  const headers = (asked.req?.raw ?? asked).headers as Headers | Record<string, string>;
  return (
    (typeof headers.get === 'function' ? headers.get('x-user') : (headers as Record<string, string>)['x-user']) ??
    undefined
  );
}

async function spending(options: Partial<LlmOptions<[Asked]>> = {}, given?: Store) {
  const clock = new ManualClock(NOON);
  const store = given ?? new MemoryStore({ clock });
  const llm = createLlm<[Asked]>({
    call: () => ({ model: 'gpt-5.6', messages: [{ role: 'user', content: 'hello' }], max_tokens: 1000 }),
    ...{ plan: PLAN, prices: PRICES, clock, ...options },
  });
  const limiter = createLimiter<Asked>({ name: 'llm', limits: llm.policy.limits, keyGenerator: userOf, store });
  const asked = { headers: { 'x-user': 'ann' } };
  return { llm, store, reserve: async () => limiter.reserve(asked) };
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return urlOf(server);
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/usage`;

function onNest(createAdapter: () => AbstractHttpAdapter) {
  return async (handler: UsageHandler): Promise<string> => {
    @Controller()
    class Usage {
      @Get('usage')
      async usage(@Req() req: never, @Res() res: never): Promise<void> {
        await handler(req, res);
      }
    }

    @Module({ controllers: [Usage] })
    class App {}

    const app = await NestFactory.create(App, createAdapter(), { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    closing.push(() => app.close());
    return urlOf(app.getHttpServer());
  };
}

const HOSTS: readonly (readonly [name: string, start: (handler: UsageHandler) => Promise<string>])[] = [
  ['node:http', (handler) => listening(createServer((req, res) => void handler(req, res)))],
  ['Express 4', (handler) => listening(createServer(express4().get('/usage', handler)))],
  ['Express 5', (handler) => listening(createServer(express5().get('/usage', handler)))],
  [
    'Fastify',
    async (handler) => {
      const app = fastify().get('/usage', handler);
      await app.listen({ host: '127.0.0.1', port: 0 });
      closing.push(() => app.close());
      return urlOf(app.server);
    },
  ],
  ['Nest on Express', onNest(() => new ExpressAdapter())],
  ['Nest on Fastify', onNest(() => new FastifyAdapter())],
  ['Koa', (handler) => listening(createServer(Object.assign(new Koa(), { silent: true }).use(handler).callback()))],
  [
    'Hono',
    async (handler) => {
      const app = new Hono().get('/usage', handler);
      const server = await new Promise<ServerType>((resolve) => {
        const started = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(started));
      });
      closing.push(() => new Promise((resolve) => (server as Server).close(resolve)));
      return urlOf(server as Server);
    },
  ],
];

describe.each(HOSTS)('Usage on %s', (name, start) => {
  it('is status 500 for a request whose key cannot be found, and goes on for others', async () => {
    const warnings = emittedWarnings();
    jest.spyOn(console, 'error').mockImplementation(() => {});
    const { llm } = await spending();
    const keyGenerator = (asked: Asked) => {
      const user = userOf(asked);
      if (user === undefined) throw new Error('the secret of the session');
      return user;
    };
    const url = await start(llm.usage({ keyGenerator }));
    for (let i = 0; i < 2; i += 1) {
      const failed = await fetch(url);
      expect(failed.status).toBe(500);
      if (name === 'node:http') expect(await failed.text()).not.toContain('secret');
    }
    expect((await fetch(url, { headers: { 'x-user': 'ann' } })).status).toBe(200);
    // The others have error handlers.
    const told = warnings.filter(({ code }) => code === 'SLUICE_HOOK_FAILED').map(({ message }) => message);
    expect(told).toEqual(name === 'node:http' ? [expect.stringContaining('the secret of the session')] : []);
  });

  it('is JSON for programs, a page for browsers, and nobody else’s', async () => {
    const { llm, reserve } = await spending();
    const { verdicts } = await reserve();
    const url = await start(llm.usage({ keyGenerator: userOf }));

    const data = await fetch(url, { headers: { 'x-user': 'ann' } });
    expect([data.status, data.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const cost = verdicts.find(({ name }) => name === 'perDay')?.cost as number;
    expect(await data.json()).toMatchObject({
      budgets: [{ name: 'perDay', spent: 0, held: cost, left: usd('1') - cost }],
    });

    const page = await fetch(url, { headers: { 'x-user': 'ann', accept: BROWSER } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<h2>The budget of the day</h2>');
    for (const { headers } of [data, page]) {
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('vary')).toMatch(/accept/i);
    }

    const other = await fetch(`${url}?key=ann&user=ann`, { headers: { 'x-user': 'bob' } });
    expect(await other.json()).toMatchObject({ budgets: [{ name: 'perDay', spent: 0, held: 0, left: usd('1') }] });
    const nobody = await fetch(url);
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get('content-type')).toContain('application/problem+json');
  });
});

/** Asks the handler as fetch does. */
async function asked(
  handler: UsageHandler,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const response = await handler(new Request('http://localhost/usage', { headers: { 'x-user': 'ann', ...headers } }));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('The page', () => {
  it('says what is left, spent and held, and when it is fresh again', async () => {
    const { llm, reserve } = await spending({
      plan: { perMonth: usd('5'), rpm: 10, parallel: 3 },
      timeZone: 'Asia/Seoul',
    });
    const reservation = await reserve();
    await reservation.settle({ perMonth: 1_234_500, held: 0 });
    const { text } = await asked(llm.usage({ keyGenerator: userOf, title: 'Your usage' }), { accept: BROWSER });
    for (const part of [
      '<title>Your usage</title>',
      '$3.7655 left of $5',
      '<dt>Spent</dt><dd>$1.2345</dd>',
      '<dt>Resets</dt><dd><time datetime="2026-11-30T15:00:00.000Z">1 Dec 2026, 00:00 Asia/Seoul</time>',
      '9 left of 10',
      '3 left of 3',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('has no script, loads nothing, and allows no other style than its own', async () => {
    const { llm } = await spending();
    const { text, headers } = await asked(llm.usage({ keyGenerator: userOf }), { accept: BROWSER });
    expect(text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|javascript:|https?:|style=/i);
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('writes every text as text', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>&\'';
    const plan = { models: { [hostile]: { perDay: usd('1'), tpm: 5 } } };
    const { llm } = await spending({ plan, prices: await priced(hostile) });
    const { text } = await asked(llm.usage({ keyGenerator: () => hostile, title: hostile }), { accept: BROWSER });
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toMatch(/<script|<img/);
    expect(text.match(/&quot;&gt;&lt;script/g)?.length).toBeGreaterThan(3);
  });

  it('shows a budget of nothing, and none at all', async () => {
    const none = await spending({ plan: { perDay: 0 } });
    expect((await asked(none.llm.usage({ keyGenerator: userOf }), { accept: BROWSER })).text).toContain(
      '$0 left of $0',
    );
    const free = await spending({ plan: {} });
    expect((await asked(free.llm.usage({ keyGenerator: userOf }), { accept: BROWSER })).text).toContain(
      'There is no limit.',
    );
  });
});

async function priced(model: string) {
  const { priceTable } = await import('../../src/index.js');
  return priceTable({ [model]: { input: '1', output: '1' }, 'gpt-5.6': { input: '1', output: '1' } });
}

describe('The form of the answer', () => {
  it.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/html', 'html'],
    [BROWSER, 'html'],
    ['application/json, text/html', 'html'],
    ['application/json, text/html;q=0.5', 'json'],
    ['text/html;q=0', 'json'],
    ['TEXT/HTML; charset=utf-8; q=0.7, application/json;q=0.6', 'html'],
    ['text/html;q=nonsense', 'json'],
  ])('for Accept: %s is %s', async (accept, form) => {
    const { llm } = await spending();
    const { headers } = await asked(llm.usage({ keyGenerator: userOf }), { accept });
    expect(headers.get('content-type')).toContain(form);
  });
});

describe('What is shown', () => {
  it('has the scopes that are named, by the keys of the request', async () => {
    const scopes = {
      org: { plan: { perMonth: usd('9') }, keyGenerator: [() => 'acme', () => 'eu'] },
      team: { plan: () => ({ tpd: 500 }), keyGenerator: async () => undefined },
    };
    const { llm, reserve } = await spending({ scopes: { org: scopes.org } });
    await reserve();
    const names = async (handler: UsageHandler) => {
      const { budgets, limits } = JSON.parse((await asked(handler)).text);
      return [...budgets, ...limits].map(({ name }: { name: string }) => name);
    };
    expect(await names(llm.usage({ keyGenerator: userOf }))).toEqual(['perDay', 'rpm']);
    const shown = llm.usage({ keyGenerator: userOf, scopes: ['org'] });
    expect(await names(shown)).toEqual(['perDay', 'org-perMonth', 'rpm']);
    expect(JSON.parse((await asked(shown)).text).budgets[1].held).toBeGreaterThan(0);
    const both = await spending({ scopes });
    expect(await names(both.llm.usage({ keyGenerator: userOf, scopes: ['team'] }))).toEqual(['perDay', 'rpm']);
  });

  it('follows the plan that a function chooses for the request, and does not name the policy', async () => {
    const { llm } = await spending({ plan: (request) => (userOf(request) === 'ann' ? PLAN : { rpm: 3 }) });
    const handler = llm.usage({ keyGenerator: async (request) => userOf(request) });
    expect(Object.keys(JSON.parse((await asked(handler)).text))).toEqual(['at', 'budgets', 'limits']);
    expect(JSON.parse((await asked(handler, { 'x-user': 'bob' })).text)).toMatchObject({
      budgets: [],
      limits: [{ limit: 3 }],
    });
  });

  it('is 503 while the store fails, and an error of the framework otherwise', async () => {
    const failing: Store = Object.assign(Object.create(new MemoryStore()), {
      consume: () => {
        throw new Error('no connection to redis://secret');
      },
    });
    const { llm } = await spending({}, failing);
    const { status, text } = await asked(llm.usage({ keyGenerator: userOf }));
    expect(status).toBe(503);
    expect(text).not.toContain('secret');
    const broken = llm.usage({
      keyGenerator: () => {
        throw new Error('no session');
      },
    });
    await expect(asked(broken)).rejects.toThrow('no session');
    const errors: unknown[] = [];
    await broken({ headers: {} } as never, { setHeader: () => {} } as never, (error) => errors.push(error));
    expect(errors).toMatchObject([{ message: 'no session' }]);
  });

  it.each<[string, object]>([
    ['keyGenerator', {}],
    ['scopes[0]', { keyGenerator: userOf, scopes: ['team'] }],
    ['scopes', { keyGenerator: userOf, scopes: 'org' }],
    ['title', { keyGenerator: userOf, title: 5 }],
    ['policy', { keyGenerator: userOf, policy: '' }],
    ['key', { keyGenerator: userOf, key: 'ann' }],
  ])('is not made with a wrong %s', async (path, options) => {
    const { llm } = await spending();
    expect(() => llm.usage(options as UsageOptions<[Asked]>)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });
});
