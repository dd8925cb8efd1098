// Serves functions of fetch by the own server of Deno and of Bun, and asks them over plain connections. Their clients of Node's HTTP
// differ from Node's: that of Deno keeps the connection of a request that is destroyed, and that of Bun fails with it.
import { once } from 'node:events';
import { connect } from 'node:net';

/** Much longer than a response takes on the loopback interface. */
const TIMEOUT_MS = 20_000;

export async function serveFetch(fetch) {
  const handle = (request, remoteAddress) => fetch(request, { incoming: { socket: { remoteAddress } } });
  return globalThis.Deno ? serveInDeno(handle) : serveInBun(handle);
}

function serveInDeno(handle) {
  const closing = new AbortController();
  const options = { hostname: '127.0.0.1', port: 0, signal: closing.signal, onListen() {} };
  const { addr } = Deno.serve(options, (request, { remoteAddr }) => handle(request, remoteAddr.hostname));
  return { url: `http://127.0.0.1:${addr.port}`, close: async () => closing.abort() };
}

function serveInBun(handle) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    fetch: (request) => handle(request, server.requestIP(request)?.address),
  });
  return { url: `http://127.0.0.1:${server.port}`, close: async () => void server.stop(true) };
}

/** The client of the suite, with a connection for each request. */
export class Client {
  #url;

  constructor(url) {
    this.#url = new URL(url);
  }

  begin(method, path, headers = {}) {
    const fields = Object.entries({ host: this.#url.host, ...headers, connection: 'close' });
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
    const { socket, received } = this.#send(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    const answer = received.then((text) => answerIn(text, method === 'HEAD'));
    answer.catch(() => {});
    return { answer, leave: () => socket.destroy() };
  }

  write(text) {
    const { socket, received: answers } = this.#send(text);
    const begun = once(socket, 'data').then(() => {});
    for (const promise of [begun, answers]) promise.catch(() => {});
    return { begun, answers, leave: () => socket.destroy() };
  }

  close() {}

  /** Writes a text to a new connection. Everything that arrives there is text of a byte for each character. */
  #send(text) {
    const { hostname: host, port } = this.#url;
    const socket = connect({ host, port: Number(port), timeout: TIMEOUT_MS });
    socket.setEncoding('latin1').write(text);
    const received = new Promise((resolve, reject) => {
      let all = '';
      socket.on('data', (data) => {
        all += data;
      });
      socket.on('timeout', () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      // A server may end a connection so. Then what has arrived is not whole.
      socket.on('error', (error) => (error.code === 'ECONNRESET' ? resolve(all) : reject(error)));
      socket.on('close', () => resolve(all));
    });
    return { socket, received };
  }
}

/** Returns the answer that a text is. */
function answerIn(text, isHead) {
  const [head, ...rest] = text.split('\r\n\r\n');
  const [first, ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  if (!status) throw new Error(`no answer: ${JSON.stringify(text)}`);
  const headers = headersIn(lines);
  const body = isHead ? '' : bodyIn(rest.join('\r\n\r\n'), headers);
  return { status, headers, body: Buffer.from(body, 'latin1').toString() };
}

/** Returns header fields as Node tells them, without that of the connection, which this client closes. */
function headersIn(lines) {
  const headers = {};
  for (const line of lines) {
    const [, name, value] = /^(.+?): *(.*)$/.exec(line);
    const key = name.toLowerCase();
    if (key === 'set-cookie') headers[key] = [...(headers[key] ?? []), value];
    else headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  delete headers.connection;
  return headers;
}

function bodyIn(text, headers) {
  if (headers['transfer-encoding'] === 'chunked') return bodyInChunks(text);
  if (text.length < Number(headers['content-length'] ?? 0)) throw new Error('the answer has broken off');
  return text;
}

function bodyInChunks(text) {
  let body = '';
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n');
    if (end === -1) throw new Error('the answer has broken off');
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (size === 0) return body;
    body += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
}
