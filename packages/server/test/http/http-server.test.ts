import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { httpServer, type ServerLimits } from '../../src/http/http-server.js';
import { readBody } from '../../src/http/read-body.js';
import { sendText } from '../../src/http/respond.js';
import type { Route } from '../../src/http/route.js';
import { rawExchange } from '../raw-exchange.js';

/** Many of them are more than the buffers of a connection. */
const LARGE = 'x'.repeat(1_000_000);

const ROUTES: readonly Route[] = [
  { path: '/large', handle: (_, response) => sendText(response, 200, {}, LARGE) },
  { path: '/', handle: (_, response) => sendText(response, 200, {}, 'ok') },
  {
    path: '/body',
    handle: async ({ message }, response) =>
      sendText(response, 200, {}, String((await readBody(message, 1000)).length)),
  },
];

const servers: Server[] = [];

async function start(limits: Partial<ServerLimits> = {}): Promise<number> {
  const server = httpServer(
    ROUTES,
    (error) => {
      throw error;
    },
    limits,
  );
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n';

describe('a client that is too slow', () => {
  const QUICK = { headersMs: 100, requestMs: 200, checkMs: 20 };

  it.each([
    ['with its connection', ''],
    ['with its header fields', GET],
    ['with its body', 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12'],
  ])('%s gets 408, and the connection ends', async (_, text) => {
    const answer = await rawExchange(await start(QUICK), text);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toMatch(/Connection: close\r\n[\s\S]*"status":408/);
  });

  it('even if it sends a byte of a header field now and then', async () => {
    const port = await start(QUICK);
    const socket = connect(port, '127.0.0.1', () => socket.write(GET));
    const drip = setInterval(() => socket.write('x'), 20);
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    await once(socket, 'close');
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('holds no connection if it does not read its answers', async () => {
    const port = await start({ idleMs: 200 });
    const [server] = servers as [Server];
    const accepted = once(server, 'connection');
    const client = connect(port, '127.0.0.1', () => client.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)));
    client.on('error', () => {}).pause();
    const [socket] = await accepted;
    await once(socket, 'close');
    client.destroy();
  });
});

describe('what is no HTTP', () => {
  it.each<[string, string, number]>([
    ['nonsense', '\x16\x03\x01 nonsense\r\n\r\n', 400],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a field with a NUL', `${GET}X: a\0b\r\n\r\n`, 400],
    ['two lengths', 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12', 400],
    [
      'a length and chunks',
      'POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a chunk without a size', 'POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 400],
    ['fields that are too large', `${GET}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
    ['a line that is too large', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('as %s gets an answer, and the connection ends', async (_, text, status) => {
    const answer = await rawExchange(await start(), text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/Connection: close\r\n/i);
  });

  it('does not disturb the answers before it', async () => {
    const answer = await rawExchange(await start(), `${GET}\r\n${GET}\r\nnonsense\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

describe('a connection', () => {
  it('answers many requests that are sent at once, in their order', async () => {
    const text = [...new Array<string>(500).fill(`${GET}\r\n`), `${GET}Connection: close\r\n\r\n`].join('');
    const answer = await rawExchange(await start(), text);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(501);
  });

  it('takes fields as large as proxies pass them on', async () => {
    const answer = await rawExchange(await start(), `${GET}X: ${'x'.repeat(60_000)}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});
