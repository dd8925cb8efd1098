import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Redis } from 'ioredis';

type Command = readonly [name: string, ...args: (string | number)[]];

/** What Upstash answers to one command. */
type Answer = { readonly result: unknown } | { readonly error: string };

/**
 * Speaks the REST protocol of Upstash in front of a real Redis: a command, or a list of them, as JSON. Strings of replies are in base64, where
 * the client asks for that.
 */
export class UpstashProxy {
  readonly token = 'secret';
  readonly #server: Server;

  private constructor(client: Redis) {
    this.#server = createServer(async (request, response) => {
      const isAllowed = request.headers.authorization === `Bearer ${this.token}`;
      const body = await bodyOf(request);
      const inBase64 = request.headers['upstash-encoding'] === 'base64';
      const answer = isAllowed
        ? await answerTo(client, request.url, body, inBase64)
        : { error: 'WRONGPASS invalid token' };
      response.statusCode = 'error' in answer ? 400 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    });
  }

  static async start(client: Redis): Promise<UpstashProxy> {
    const proxy = new UpstashProxy(client);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function answerTo(
  client: Redis,
  path: string | undefined,
  body: unknown,
  inBase64: boolean,
): Promise<Answer | readonly Answer[]> {
  if (path !== '/pipeline') return answered(client, body as Command, inBase64);
  return Promise.all((body as Command[]).map((command) => answered(client, command, inBase64)));
}

async function answered(client: Redis, [name, ...args]: Command, inBase64: boolean): Promise<Answer> {
  try {
    return { result: written(await client.callBuffer(name, args), inBase64 ? 'base64' : 'utf8') };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function written(reply: unknown, encoding: BufferEncoding): unknown {
  if (Buffer.isBuffer(reply)) return reply.toString(encoding);
  return Array.isArray(reply) ? reply.map((one) => written(one, encoding)) : reply;
}
