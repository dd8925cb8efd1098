import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

export interface ClientAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request that was sent. */
export interface Pending {
  readonly answer: Promise<ClientAnswer>;
  /** Closes the connection without waiting for the response, which then rejects. */
  leave(): void;
}

/** A text that was written to a connection, and its responses. */
export interface Exchange {
  /** Resolves when the first data arrives. */
  readonly begun: Promise<void>;
  /** Everything that arrived until the connection was closed. */
  readonly answers: Promise<string>;
  leave(): void;
}

/** Much longer than a response takes on the loopback interface. */
const TIMEOUT_MS = 20_000;

/** Sends HTTP/1.1 requests to one server, over connections that are kept alive. */
export class Client {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  begin(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Pending {
    const outgoing = request(new URL(path, this.#url), {
      method,
      headers,
      agent: this.#agent,
      timeout: TIMEOUT_MS,
    });
    const answer = new Promise<ClientAnswer>((resolve, reject) => {
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => read(incoming).then(resolve, reject));
    });
    // A client that has left ignores the response.
    answer.catch(() => {});
    outgoing.end();
    return { answer, leave: () => outgoing.destroy() };
  }

  /** Opens a separate connection and writes a raw text to it. */
  write(text: string): Exchange {
    const socket = connect({ port: Number(this.#url.port), host: this.#url.hostname, timeout: TIMEOUT_MS });
    socket.setEncoding('utf8').write(text);
    const begun = once(socket, 'data').then(() => {});
    const answers = new Promise<string>((resolve, reject) => {
      let received = '';
      socket.on('data', (data: string) => {
        received += data;
      });
      socket.on('timeout', () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      socket.on('error', reject).on('close', () => resolve(received));
    });
    for (const promise of [begun, answers]) promise.catch(() => {});
    return { begun, answers, leave: () => socket.destroy() };
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function read(incoming: IncomingMessage): Promise<ClientAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks).toString() };
}
