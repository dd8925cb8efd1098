import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Route } from './route.js';
import { type ReportError, requestListener } from './router.js';

/** How long clients may take, and how much they may send before the body. Times are in milliseconds. */
export interface ServerLimits {
  /** The request line and all fields together. It is more than proxies take from their clients, and pass on with their own. */
  readonly headerBytes: number;
  /** From the first byte of a request, or from the connection, to the end of its fields. */
  readonly headersMs: number;
  /** To the end of its body. */
  readonly requestMs: number;
  /**
   * How long a connection may stand still: without a request, or because nobody reads its answers. Proxies keep theirs for 60
   * seconds, and must end them first.
   */
  readonly idleMs: number;
  /** How often slow requests are looked for. */
  readonly checkMs: number;
}

const SERVER_LIMITS: ServerLimits = {
  headerBytes: 65_536,
  headersMs: 5000,
  requestMs: 10_000,
  idleMs: 75_000,
  checkMs: 1000,
};

/**
 * Makes a server that answers by routes, and that no client can hold: requests that are too slow, too large or no HTTP get a
 * problem, and their connections end.
 *
 * @param report - gets the errors of handlers
 */
export function httpServer(routes: readonly Route[], report: ReportError, limits: Partial<ServerLimits> = {}): Server {
  const { headerBytes, headersMs, requestMs, idleMs, checkMs } = { ...SERVER_LIMITS, ...limits };
  const listener = requestListener(routes, report);
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      // `timeout` does the same with one timer for a connection. This one is set and removed with each request.
      keepAliveTimeout: 0,
      connectionsCheckingInterval: checkMs,
    },
    (message, response) => {
      keepLast(message.socket, response);
      listener(message, response);
    },
  );
  server.timeout = idleMs;
  // Node leaves out fields beyond a number of them. A client could so remove the field that its proxy has added at the end.
  server.maxHeadersCount = 0;
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    const last = lastOf(socket);
    const isBefore = last?.req.complete && !last.writableFinished;
    if (!isBefore) refuse(code, socket, headerBytes);
    // Requests before it, which the client sent at once, have their answers first.
    else last.once('finish', () => refuse(code, socket, headerBytes));
  });
  return server;
}

/** Holds the last answer on its connection. A WeakMap would cost a tenth of the whole request. */
const LAST = Symbol('sluice.last');

type Connection = Duplex & { [LAST]?: ServerResponse };

function keepLast(connection: Connection, response: ServerResponse): void {
  connection[LAST] = response;
}

function lastOf(connection: Connection): ServerResponse | undefined {
  return connection[LAST];
}

/** Answers what is no request, and ends the connection. */
function refuse(code: string, socket: Duplex, headerBytes: number): void {
  if (socket.writable && code !== 'ECONNRESET') socket.end(answerTo(code, headerBytes));
  // It is answered, and does not end. What else it sends makes further errors, which are left alone: to cut it off at once could
  // cut off the answer.
  else if (code === TIMEOUT) socket.destroy();
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

function answerTo(code: string, headerBytes: number): string {
  const [status, detail] = reasonOf(code, headerBytes);
  const title = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  return `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`;
}

function reasonOf(code: string, headerBytes: number): [status: number, detail: string] {
  switch (code) {
    case TIMEOUT:
      return [408, 'the request took too long'];
    case 'HPE_HEADER_OVERFLOW':
      return [431, `the request line and the header fields must have at most ${headerBytes} bytes`];
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, 'the chunk extensions of the body are too long'];
    default:
      return [400, 'the request is no HTTP/1.1'];
  }
}
