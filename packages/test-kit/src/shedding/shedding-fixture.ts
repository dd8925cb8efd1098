import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '../until.js';
import type {
  RequestOf,
  RunningShedding,
  SheddingAnswer,
  SheddingApp,
  SheddingOptions,
  SheddingRequest,
  StartShedding,
} from './shedding-app.js';
import { fourPlaces, type WatchedShedder } from './watched-shedder.js';

/** Tests by their titles. */
export type SheddingRules = Readonly<Record<string, (fixture: SheddingFixture) => Promise<void>>>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request that was sent. */
export interface Pending {
  readonly answer: Promise<Answer>;
  /** Closes the connection without waiting for the response. */
  leave(): void;
}

type Fields = Readonly<Record<string, string>>;
type Handle = (request: SheddingRequest) => SheddingAnswer | Promise<SheddingAnswer>;

export const OK: SheddingAnswer = { status: 200, body: 'ok' };

/** The application, the shedder and the client of one test. */
export class SheddingFixture {
  readonly shedder: WatchedShedder = fourPlaces();
  /** The requests that have reached the handler. */
  readonly handled: SheddingRequest[] = [];
  /** The connections of the server. */
  readonly sockets: Socket[] = [];
  readonly #start: StartShedding;
  /** The client's ends of connections that a test writes to by itself. */
  readonly #connections: Socket[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #held: ((answer: SheddingAnswer) => void)[] = [];
  #running: RunningShedding | undefined;

  constructor(start: StartShedding) {
    this.#start = start;
  }

  /** Serves an application over the shedder of this test. */
  async serve(
    options: SheddingOptions | ((requestOf: RequestOf) => SheddingOptions) = {},
    handle: Handle = () => OK,
    { limits, mount }: Pick<SheddingApp, 'limits' | 'mount'> = {},
  ): Promise<void> {
    this.#running = await this.#start({
      ...(mount !== undefined && { mount }),
      options: (requestOf) => ({
        shedder: this.shedder,
        ...(typeof options === 'function' ? options(requestOf) : options),
      }),
      ...(limits && { limits }),
      handle: (incoming) => {
        this.handled.push(incoming);
        // Requests that the tests hold, to have them in flight.
        if (incoming.path.startsWith('/held')) return new Promise((resolve) => this.#held.push(resolve));
        return handle(incoming);
      },
    });
    this.#running.server.on('connection', (socket: Socket) => void this.sockets.push(socket));
  }

  /** How long the server keeps an idle connection, in milliseconds; 0 for ever. */
  set keepAliveMs(keepAliveMs: number) {
    if (this.#running) this.#running.server.keepAliveTimeout = keepAliveMs;
  }

  get url(): URL {
    return new URL(this.#running?.url ?? '');
  }

  begin(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Fields } = {}): Pending {
    const outgoing = request(new URL(path, this.url), { method, headers, agent: this.#agent });
    const answer = new Promise<Answer>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const { statusCode: status = 0 } = incoming;
        text(incoming).then((body) => resolve({ status, headers: incoming.headers, body }), reject);
      });
    });
    // A client that has left ignores the response.
    answer.catch(() => {});
    outgoing.end();
    return { answer, leave: () => outgoing.destroy() };
  }

  ask(path = '/', options: { method?: string; headers?: Fields } = {}): Promise<Answer> {
    return this.begin(path, options).answer;
  }

  async statusOf(path = '/', headers: Fields = {}): Promise<number> {
    return (await this.ask(path, { headers })).status;
  }

  /** Opens a connection of its own. */
  connect(): Socket {
    const socket = connect({ port: Number(this.url.port), host: this.url.hostname });
    this.#connections.push(socket);
    return socket;
  }

  /** Has this many critical requests in flight. They are held until `release`. */
  async hold(count: number): Promise<readonly Pending[]> {
    const before = this.#held.length;
    const pending: Pending[] = [];
    for (let i = 0; i < count; i += 1) {
      pending.push(this.begin('/held', { headers: { 'x-class': 'critical' } }));
      await until(() => this.#held.length > before + i);
    }
    return pending;
  }

  /** Answers all held requests. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer(OK);
  }

  /** Resolves when no request is in flight. */
  async idle(): Promise<void> {
    await until(() => this.shedder.state.inFlight === 0);
  }

  async close(): Promise<void> {
    this.release();
    this.#agent.destroy();
    for (const socket of this.#connections) socket.destroy();
    await this.#running?.close();
  }
}

/** The application says the class of each request in a field of its own. */
export function byClass(requestOf: RequestOf): SheddingOptions {
  return { priority: (...args) => requestOf(args).headers['x-class'] as never };
}
