import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '@sluice/test-kit/free-port';
import type { CallEnd } from '../../src/meter/call-outcome.js';

/** A provider that does not answer a call as it should. */
export interface FailingProvider {
  /** What the caller sees. */
  readonly what: string;
  /** How the call ends. */
  readonly end: Extract<CallEnd, 'unsent' | 'refused' | 'broken' | 'complete'>;
  /** Whether the caller gives up after a moment. */
  readonly isGivenUp?: true;
  /** Starts it, and resolves with its origin. */
  start(): Promise<Running>;
}

export interface Running {
  readonly url: string;
  close(): void;
}

/** The answer of an error that states what the provider has used all the same. */
export const USED = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 };

/** All ways in which a call fails on loopback. */
export const FAILING_PROVIDERS: readonly FailingProvider[] = [
  { what: 'a refused connection', end: 'unsent', start: async () => nobody(`http://127.0.0.1:${await freePort()}`) },
  { what: 'a port that fetch does not call', end: 'unsent', start: async () => nobody('http://127.0.0.1:9') },
  {
    // A label is too long to be asked for in the network.
    what: 'an unknown name',
    end: 'unsent',
    start: async () => nobody(`http://${'a'.repeat(64)}.localhost`),
  },
  { what: 'TLS to a server without it', end: 'unsent', start: () => tcp((socket) => socket.end(PLAIN), 'https') },
  {
    what: 'a connection that ends in the handshake',
    end: 'unsent',
    start: () => tcp((socket) => socket.end(), 'https'),
  },
  { what: 'a reset after the request', end: 'broken', start: () => tcp((socket) => socket.resetAndDestroy()) },
  { what: 'a connection that ends after the request', end: 'broken', start: () => tcp((socket) => socket.end()) },
  { what: 'an answer that is no HTTP', end: 'broken', start: () => tcp((socket) => socket.end('hello\r\n\r\n')) },
  { what: 'no answer in time', end: 'broken', isGivenUp: true, start: () => tcp(() => {}) },
  ...[400, 401, 404, 429, 500, 503, 529].map(
    (status): FailingProvider => ({
      what: `an error ${status}`,
      end: 'refused',
      start: () => http(errorOf(status)),
    }),
  ),
  {
    what: 'an error without a body',
    end: 'refused',
    start: () => http((_, response) => response.writeHead(500).end()),
  },
  { what: 'an error that states a usage', end: 'complete', start: () => http(errorOf(500, { usage: USED })) },
  {
    what: 'an error that breaks off',
    end: 'refused',
    start: () =>
      http((_, response) => {
        response.writeHead(500, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{');
        setTimeout(() => response.destroy(), 10);
      }),
  },
];

const PLAIN = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';

function errorOf(status: number, more: object = {}): RequestListener {
  const body = { type: 'error', error: { message: 'No', type: 'error', code: null, param: null }, ...more };
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
    response.end(JSON.stringify(body));
  };
}

function nobody(url: string): Running {
  return { url, close() {} };
}

/** Does something with a connection as soon as the caller has sent anything. */
async function tcp(hear: (socket: Socket) => void, scheme = 'http'): Promise<Running> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => hear(socket));
  });
  const url = await listening(server, scheme);
  return {
    url,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function http(answer: RequestListener): Promise<Running> {
  const server = createHttpServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  const url = await listening(server, 'http');
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function listening(server: Server, scheme: string): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
