import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Connections to a server that stay open. */
export class Wire {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const sent = get(new URL(path, this.#url), { headers, agent: this.#agent });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return { status: response.statusCode as number, headers: response.headers };
  }

  close(): void {
    this.#agent.destroy();
  }
}
