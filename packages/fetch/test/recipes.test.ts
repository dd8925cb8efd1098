import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as sluice from '@sluice/fetch';
import { transformSync } from '@swc/core';

/** What a server of fetch calls with each request. */
type Handler = (request: Request) => Promise<Response>;

/** What a recipe has made: its exports, and what it has given to the runtime. */
interface Made {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly served: unknown;
}

/** An event of h3 1: what the stand-ins read of it, and the fields of its response. */
interface EventOfOne {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly fields: Record<string, string>;
  readonly node: { readonly res: EventEmitter };
}

const eventOfOne = ({ url, method, headers }: Request): EventOfOne => ({
  url,
  method,
  headers,
  fields: {},
  node: { res: new EventEmitter() },
});

const ADDRESS = '203.0.113.7';

/** Modules of the frameworks, as far as the recipes use them. */
const MODULES: Readonly<Record<string, object>> = {
  '@sluice/fetch': sluice,
  h3: {
    H3: class {
      middleware: unknown;
      use(middleware: unknown): void {
        this.middleware = middleware;
      }
      get(): void {}
    },
    toResponse: (value: unknown) => Response.json(value),
    defineEventHandler: (handler: unknown) => handler,
    getRequestIP: () => ADDRESS,
    getRequestURL: ({ url }: EventOfOne) => url,
    toWebRequest: ({ url, method, headers }: EventOfOne) => new Request(url, { method, headers }),
    setResponseHeaders: ({ fields }: EventOfOne, more: object) => void Object.assign(fields, more),
  },
  'next/server': { NextResponse: { next: () => new Response(null, { headers: { 'x-middleware-next': '1' } }) } },
  'nitro/h3': { defineHandler: (handler: unknown) => handler },
};

/** Calls what a recipe has made with a request, as the framework or the runtime does. */
const FRAMEWORKS: Readonly<Record<string, readonly ((made: Made) => Handler)[]>> = {
  'h3 and Nitro': [
    ({ exports }) =>
      (request) => {
        const { middleware } = exports.app as { middleware(event: object, next: () => unknown): Promise<Response> };
        return middleware({ req: Object.assign(request, { ip: ADDRESS }) }, () => ({ hello: 'world' }));
      },
    ({ exports }) =>
      (request) =>
        (exports.default as (event: object) => Promise<Response>)({ req: Object.assign(request, { ip: ADDRESS }) }),
  ],
  'h3 1 and Nitro 2': [
    ({ exports }) =>
      (request) =>
        (exports.default as (event: EventOfOne) => Promise<Response>)(eventOfOne(request)),
    ({ exports }) =>
      async (request) => {
        const event = eventOfOne(request);
        const refused = await (exports.default as (event: EventOfOne) => Promise<Response | undefined>)(event);
        return refused ?? Response.json({ hello: 'world' }, { headers: event.fields });
      },
  ],
  'Next.js': [({ exports }) => exports.GET as Handler, ({ exports }) => exports.proxy as Handler],
  SvelteKit: [
    ({ exports }) =>
      (request) => {
        const event = { request, getClientAddress: () => ADDRESS };
        const handle = exports.handle as (input: object) => Promise<Response>;
        return handle({ event, resolve: async () => new Response('a page') });
      },
  ],
  'React Router': [
    ({ exports }) =>
      (request) =>
        (exports.loader as (args: object) => Promise<Response>)({ request, params: {}, context: {} }),
    ({ exports }) =>
      (request) => {
        const [middleware] = exports.middleware as ((
          args: object,
          next: () => Promise<Response>,
        ) => Promise<Response>)[];
        return (middleware as NonNullable<typeof middleware>)({ request }, async () => new Response('a page'));
      },
  ],
  Deno: [
    ({ served }) =>
      (request) =>
        (served as (request: Request, info: object) => Promise<Response>)(request, {
          remoteAddr: { transport: 'tcp', hostname: ADDRESS, port: 50_000 },
        }),
  ],
  Bun: [
    ({ served }) =>
      (request) =>
        (served as { fetch(request: Request, server: object): Promise<Response> }).fetch(request, {
          requestIP: () => ({ address: ADDRESS, port: 50_000, family: 'IPv4' }),
        }),
  ],
  Workers: [({ exports }) => (exports.default as { fetch: Handler }).fetch],
};

const page = readFileSync(join(__dirname, '../docs/frameworks.md'), 'utf8');

/** The code under a heading that does not run as it stands, because its framework is not installed. */
function recipesOf(heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return Array.from(own.matchAll(/^```typescript\n([\s\S]*?)^```/gm), ([, code]) => code as string);
}

/** Runs the code of a recipe as a module, in which the runtime takes what is served. */
function make(code: string): Made {
  const { code: script } = transformSync(code, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const exports: Record<string, unknown> = {};
  let served: unknown;
  const runtime = {
    serve: (one: unknown) => {
      served = one;
    },
  };
  const load = (name: string): object => MODULES[name] ?? {};
  new Function('require', 'exports', 'Deno', 'Bun', script)(load, exports, runtime, runtime);
  return { exports, served };
}

const requestFrom = (address: string): Request =>
  new Request('http://localhost/api/things', { headers: { 'X-Real-IP': address, 'CF-Connecting-IP': address } });

describe.each(Object.entries(FRAMEWORKS))('The recipe of %s', (heading, callers) => {
  const recipes = recipesOf(heading);

  it('is on the page', () => {
    expect(recipes).toHaveLength(callers.length);
  });

  it.each(callers.map((call, i) => [i + 1, call] as const))(
    'admits 100 requests of an address: %s',
    async (i, call) => {
      const handler = call(make(recipes[i - 1] as string));
      const statuses = new Map<number, number>();
      for (let sent = 0; sent < 101; sent += 1) {
        const response = await handler(requestFrom(ADDRESS));
        await response.text();
        expect(response.headers.get('ratelimit')).toMatch(/^"per-1m";r=\d+;t=\d+$/);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
      expect(statuses).toEqual(
        new Map([
          [200, 100],
          [429, 1],
        ]),
      );
    },
  );
});

it.each(['edge', 'frameworks'])('The page says the versions that the proof of %s runs', (folder) => {
  const { devDependencies } = JSON.parse(
    readFileSync(join(__dirname, '../../../.config', folder, 'package.json'), 'utf8'),
  );
  const RUN = ['@sveltejs/kit', 'bun', 'deno', 'h3', 'next', 'nitro', 'nitropack', 'react-router'];
  const versions = RUN.flatMap((name) => devDependencies[name] ?? []);
  expect(versions.length).toBeGreaterThan(1);
  for (const version of versions) expect(page).toContain(version);
});

it('Every recipe of the page is tried', () => {
  const headings = Array.from(page.matchAll(/^## (.*)$/gm), ([, heading]) => heading as string);
  const withRecipes = headings.filter((heading) => recipesOf(heading).length > 0);
  expect(withRecipes.sort()).toEqual(Object.keys(FRAMEWORKS).sort());
});
