import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InputProblem } from '../../src/http/input-problem.js';
import { readBody, readJson } from '../../src/http/read-body.js';
import { sendJson, sendText } from '../../src/http/respond.js';
import type { Route } from '../../src/http/route.js';
import { requestListener } from '../../src/http/router.js';
import { rawExchange } from '../raw-exchange.js';

const MOST = 100;

const reported: unknown[] = [];

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/one', handle: (_, response) => sendText(response, 200, {}, 'get') },
  { method: 'POST', path: '/one', handle: (_, response) => sendText(response, 200, {}, 'post') },
  { prefix: '/all/', handle: ({ rest, query }, response) => sendJson(response, 200, [rest, [...query]]) },
  { method: 'GET', prefix: '/all/most/', handle: ({ rest }, response) => sendText(response, 200, {}, rest) },
  {
    method: 'POST',
    path: '/json',
    handle: async ({ message }, response) => sendJson(response, 200, await readJson(message, MOST)),
  },
  {
    path: '/bytes',
    handle: async ({ message }, response) =>
      sendText(response, 200, {}, String((await readBody(message, MOST)).length)),
  },
  {
    path: '/late',
    async handle() {
      throw new InputProblem(400, [{ parameter: 'late', detail: 'must be early' }]);
    },
  },
  {
    path: '/broken',
    handle() {
      throw new Error('a secret');
    },
  },
];

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(requestListener(ROUTES, (error) => reported.push(error)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const problemOf = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });

describe('the routes', () => {
  it('are chosen by path and method, and the longest prefix comes first', async () => {
    const texts = await Promise.all([
      fetch(`${url}/one`).then((response) => response.text()),
      fetch(`${url}/one?x`, { method: 'POST' }).then((response) => response.text()),
      fetch(`${url}/all/a%20b/c?x=1&x=2`, { method: 'DELETE' }).then((response) => response.text()),
      fetch(`${url}/all/most/c`).then((response) => response.text()),
    ]);
    expect(texts).toEqual(['get', 'post', '["a%20b/c",[["x","1"],["x","2"]]]', 'c']);
  });

  it('answer the same target by each method, and many made-up ones in between', async () => {
    const text = async (target: string, method: string) => (await fetch(`${url}${target}`, { method })).text();
    expect(await Promise.all([text('/one', 'GET'), text('/one', 'POST')])).toEqual(['get', 'post']);
    const listener = requestListener(ROUTES, () => {});
    const rests: unknown[] = [];
    const response = { writeHead() {}, end: (body: string) => rests.push(body) } as unknown as ServerResponse;
    const targets = Array.from({ length: 1500 }, (_, i) => `/all/most/${i}`);
    for (const target of [...targets, ...targets, '/all/most/x'.padEnd(400, 'x')])
      listener({ url: target, method: 'GET' } as IncomingMessage, response);
    expect(rests).toEqual([...targets, ...targets].map((target) => target.slice(10)).concat('x'.repeat(390)));
  });

  it('answer a target with scheme and host like its path', async () => {
    const { port } = new URL(url);
    const answer = await rawExchange(
      Number(port),
      'GET http://sluice.test/one HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK[\s\S]*get$/);
  });

  it('answer an unknown path with 404, and another method with 405', async () => {
    expect(await problemOf(await fetch(`${url}/two`))).toMatchObject({
      status: 404,
      detail: expect.stringMatching(/^path is not known here: the paths are \/one, .*, \/all\/…/),
      errors: [{ parameter: 'path' }],
    });
    const other = await fetch(`${url}/one`, { method: 'PUT' });
    expect(other.headers.get('allow')).toBe('GET, POST');
    expect(await problemOf(other)).toMatchObject({ status: 405, title: 'Method Not Allowed' });
  });

  it('answer with the problem that a handler throws or rejects with', async () => {
    expect(await problemOf(await fetch(`${url}/late`))).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'late must be early',
      errors: [{ parameter: 'late', detail: 'must be early' }],
    });
  });

  it('answer any other error with 500, and tell the reason only to the program', async () => {
    const response = await fetch(`${url}/broken`);
    expect(await response.text()).toBe('{"type":"about:blank","title":"Internal Server Error","status":500}');
    expect(reported).toEqual([expect.objectContaining({ message: 'a secret' })]);
  });
});

describe('a body', () => {
  const post = (path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { method: 'POST', body, headers });

  it('is read up to its largest size', async () => {
    expect(await (await post('/bytes', 'x'.repeat(MOST))).text()).toBe(String(MOST));
    expect(await (await fetch(`${url}/bytes`)).text()).toBe('0');
    expect(await (await post('/json', '{"a":[1]}')).json()).toEqual({ a: [1] });
  });

  it('is refused with 413 if it is larger, announced or not, and the connection ends', async () => {
    const { port } = new URL(url);
    const head = 'POST /bytes HTTP/1.1\r\nHost: x\r\n';
    const chunk = `${(MOST + 1).toString(16)}\r\n${'x'.repeat(MOST + 1)}\r\n`;
    for (const sent of [
      `${head}Content-Length: 1000000\r\n\r\n`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`,
    ]) {
      expect(await rawExchange(Number(port), sent)).toMatch(
        /^HTTP\/1.1 413 [\s\S]*Connection: close[\s\S]*"pointer":""/i,
      );
    }
  });

  it('is refused with 400 if it is no JSON, no UTF-8, or encoded', async () => {
    const encoded = await post('/json', '{}', { 'content-encoding': 'gzip' });
    expect(await problemOf(encoded)).toMatchObject({ status: 400, errors: [{ header: 'Content-Encoding' }] });
    expect(await problemOf(await post('/json', '{'))).toMatchObject({ status: 400, detail: 'the body must be JSON' });
    const latin = await post('/json', Buffer.from([0x22, 0xe4, 0x22]));
    expect(await problemOf(latin)).toMatchObject({ status: 400, detail: 'the body must be text in UTF-8' });
  });
});
