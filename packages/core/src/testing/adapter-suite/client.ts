import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

export interface ClientAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request under way. */
export interface Pending {
  readonly answer: Promise<ClientAnswer>;
  /** Goes away without waiting for the answer, which then rejects. */
  leave(): void;
}

/** What was written, and what comes back for it. */
export interface Exchange {
  /** Resolves when anything comes back. */
  readonly begun: Promise<void>;
  /** All that came back, once the connection is closed. */
  readonly answers: Promise<string>;
  leave(): void;
}

/** Ample on loopback: who waits longer waits for ever. */
const PATIENCE_MS = 3000;

/** Speaks HTTP/1.1 to one server, over connections that are kept alive. */
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
      timeout: PATIENCE_MS,
    });
    const answer = new Promise<ClientAnswer>((resolve, reject) => {
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => read(incoming).then(resolve, reject));
    });
    // One who leaves does not look at the answer any more.
    answer.catch(() => {});
    outgoing.end();
    return { answer, leave: () => outgoing.destroy() };
  }

  /** Opens a connection of its own and writes to it, as no HTTP client would. */
  write(text: string): Exchange {
    const socket = connect({ port: Number(this.#url.port), host: this.#url.hostname, timeout: PATIENCE_MS });
    socket.setEncoding('utf8').write(text);
    const begun = once(socket, 'data').then(() => {});
    const answers = new Promise<string>((resolve, reject) => {
      let received = '';
      socket.on('data', (data: string) => {
        received += data;
      });
      socket.on('timeout', () => socket.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
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
