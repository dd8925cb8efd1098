import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** The response to a request of the tests. */
export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly tookMs: number;
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  /** A list is a field that is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** A client that keeps so many connections. */
export class Client {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #connections: number;

  /** @param localAddress - one of the loopback interface that it calls from. Default: the system's choice. */
  constructor(url: string, connections = 1, localAddress?: string) {
    this.#url = url;
    this.#connections = connections;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, ...(localAddress && { localAddress }) });
  }

  ask({ method = 'GET', path = '/', headers = {}, body }: Asked = {}): Promise<Got> {
    return new Promise((resolve, reject) => {
      const startMs = performance.now();
      const asking = request(
        this.#url + path,
        { agent: this.#agent, method, headers: headers as OutgoingHttpHeaders },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          response.on('error', reject).on('end', () => {
            const { statusCode = 0, headers: fields } = response;
            resolve({ status: statusCode, headers: fields, body: text, tookMs: performance.now() - startMs });
          });
        },
      );
      asking.on('error', reject).end(body);
    });
  }

  /** Asks so often on each connection, one after another. Resolves with how often each status came. */
  async load(times: number, asked: Asked): Promise<Readonly<Record<number, number>>> {
    const counts: Record<number, number> = {};
    const one = async (): Promise<void> => {
      for (let i = 0; i < times; i += 1) {
        const { status } = await this.ask(asked);
        counts[status] = (counts[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: this.#connections }, one));
    return counts;
  }

  close(): void {
    this.#agent.destroy();
  }
}
