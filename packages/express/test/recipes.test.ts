import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import type { Express } from 'express';
import request from 'supertest';

// Attacks programs of the page packages/core/docs/recipes.md, and of the README.

const ROOT = join(__dirname, '../../..');
const REQUIRE: Readonly<Record<string, unknown>> = {
  '@sluice/express': require('../src/index.js'),
  express: require('express'),
};

/** The application that a page shows below a heading, or below a text. */
function appOf(page: string, below: string): Express {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const [, code = ''] = /^```ts\n([\s\S]*?)^```/m.exec(text.slice(text.indexOf(below))) ?? [];
  const { code: script } = transformSync(`${code}\nexport { app };`, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const made: { app?: Express } = {};
  new Function('require', 'exports', script)((id: string) => REQUIRE[id], made);
  return made.app as Express;
}

const RECIPES = 'packages/core/docs/recipes.md';

describe('Uploads by size', () => {
  const app = appOf(RECIPES, '## Uploads by size');
  const put = () => request(app).put('/files/a').set('Content-Type', 'text/plain');
  const left = ({ headers }: request.Response) => Number(headers['x-ratelimit-remaining']);

  it('cost what is stored', async () => {
    const first = await put().send('a'.repeat(1_500_000));
    const second = await put().send('a'.repeat(1_500_000));
    expect([first.status, left(first) - left(second)]).toEqual([201, 1500]);
  });

  it('are not compressed, since a body of 2 kB would be one of 2 MB', async () => {
    const packed = gzipSync('a'.repeat(2_000_000));
    expect(packed.length).toBeLessThan(3000);
    const unread = await put().set('Content-Encoding', 'gzip').send(packed);
    expect(unread.status).toBe(415);
  });

  it('cost something if they are empty', async () => {
    const [before, after] = [await put(), await put()];
    expect(left(before) - left(after)).toBe(1);
  });
});

describe('GraphQL by cost', () => {
  const app = appOf(RECIPES, '## GraphQL by cost');
  const ask = async (body: object): Promise<number> => {
    const { headers } = await request(app).post('/graphql').set('Authorization', 'Bearer ann').send(body);
    return Number(headers['x-ratelimit-remaining']);
  };

  it('counts all queries of a request', async () => {
    const query = { query: '{ user { name mails { title } } }' };
    const remaining = [await ask(query), await ask(query), await ask(Array(100).fill(query)), await ask([])];
    const costs = remaining.map((left, i) => (remaining[i - 1] ?? 5000) - left);
    expect(costs).toEqual([5, 5, 500, 1]);
  });

  it('counts what is no query', async () => {
    const before = await ask({});
    expect(before - (await ask({ query: { toString: 1 } }))).toBeGreaterThan(0);
  });
});

it('The plans of the README hold for whoever makes keys up', async () => {
  const app = appOf('README.md', '## Three hard cases');
  app.get('/', (_req, res) => void res.send('hello'));
  const statuses: number[] = [];
  for (let i = 0; i < 310; i += 1) statuses.push((await request(app).get('/').set('X-Api-Key', `made-up-${i}`)).status);
  expect(statuses).toContain(429);
});
