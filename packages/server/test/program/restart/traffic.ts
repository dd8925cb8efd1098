import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, credentials } from '@grpc/grpc-js';
import { descriptorsOf, OfficialClient } from '../../grpc/official-client.js';

/** What the clients have seen. */
export class Seen {
  readonly failed: string[] = [];
  readonly allowed = new Map<string, number>();
  readonly asked = { http: 0, grpc: 0 };

  note(key: string, protocol: keyof Seen['asked'], isAllowed: boolean): void {
    this.asked[protocol] += 1;
    if (isAllowed) this.allowed.set(key, (this.allowed.get(key) ?? 0) + 1);
  }
}

/** What the clients send. */
export interface TrafficOptions {
  readonly httpPorts: readonly number[];
  readonly grpcPorts: readonly number[];
  readonly keys: readonly string[];
  readonly perSecond: Readonly<Record<'http' | 'grpc', number>>;
  /** Connections of HTTP that are kept alive, as a balancer has them. */
  readonly connections: number;
}

/** How often a batch is sent. */
const EVERY_MS = 10;

/** A connection that was idle for so long is not used again: the server may be about to close it. */
const MOST_IDLE_MS = 500;

/** A machine that is too slow for the rate gets fewer requests. */
const MOST_UNDER_WAY = 200;

/**
 * Sends requests at a steady rate until it is stopped. Nothing is ever sent twice: what fails has failed.
 *
 * - HTTP: connections are kept alive, and used until an answer says `Connection: close`. A new one goes to an instance that is ready.
 * - gRPC: one channel to all instances (`round_robin`), which tries again every half second to reach one that has gone.
 */
export class Traffic {
  readonly seen = new Seen();
  readonly #options: TrafficOptions;
  readonly #end = new AbortController();
  readonly #channel: Client;
  readonly #grpc: OfficialClient;
  readonly #work: Promise<unknown>;
  #next = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const addresses = options.grpcPorts.map((port) => `127.0.0.1:${port}`).join(',');
    this.#channel = new Client(`ipv4:${addresses}`, credentials.createInsecure(), {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 500,
      'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    });
    this.#grpc = new OfficialClient(this.#channel);
    this.#work = Promise.all([
      this.#sendGrpc(),
      ...Array.from({ length: options.connections }, () => this.#sendHttp()),
    ]);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#work;
    this.#grpc.close();
  }

  get #isOver(): boolean {
    return this.#end.signal.aborted;
  }

  #key(): string {
    const { keys } = this.#options;
    this.#next = (this.#next + 1) % keys.length;
    return keys[this.#next] as string;
  }

  /** Uses one connection after another. */
  async #sendHttp(): Promise<void> {
    const { connections, perSecond } = this.#options;
    const everyMs = (1000 * connections) / perSecond.http;
    let nextMs = performance.now() + Math.random() * everyMs;
    while (!this.#isOver) {
      const port = await this.#readyPort();
      if (port === undefined) return;
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let usedMs = performance.now();
      for (let isOpen = true; isOpen && !this.#isOver; ) {
        nextMs = Math.max(nextMs + everyMs, performance.now() - 1000);
        await pause(Math.max(0, nextMs - performance.now()));
        // What has arrived meanwhile is read first.
        await new Promise(setImmediate);
        if (performance.now() - usedMs > MOST_IDLE_MS) break;
        isOpen = await this.#askHttp(port, agent);
        usedMs = performance.now();
      }
      agent.destroy();
    }
  }

  /** Returns whether the connection can be used again. */
  async #askHttp(port: number, agent: Agent): Promise<boolean> {
    const key = this.#key();
    try {
      const { statusCode = 0, headers } = await answerOf(port, '/v1/forward-auth/api', agent, { 'X-Api-Key': key });
      if (statusCode !== 204 && statusCode !== 429) this.seen.failed.push(`HTTP ${statusCode}`);
      this.seen.note(key, 'http', statusCode === 204);
      return headers.connection !== 'close';
    } catch (error) {
      this.seen.failed.push(`HTTP ${String(error)}`);
      return false;
    }
  }

  async #readyPort(): Promise<number | undefined> {
    const { httpPorts } = this.#options;
    const from = Math.floor(Math.random() * httpPorts.length);
    for (let i = from; !this.#isOver; i += 1) {
      const port = httpPorts[i % httpPorts.length] as number;
      const isReady = await answerOf(port, '/readyz', undefined).then(
        ({ statusCode }) => statusCode === 200,
        () => false,
      );
      if (isReady) return port;
      if (i - from >= httpPorts.length) await pause(EVERY_MS);
    }
    return undefined;
  }

  async #sendGrpc(): Promise<void> {
    const startMs = performance.now();
    const under = new Set<Promise<void>>();
    let sent = 0;
    while (!this.#isOver) {
      const due = ((performance.now() - startMs) * this.#options.perSecond.grpc) / 1000;
      sent = Math.max(sent, due - MOST_UNDER_WAY);
      for (; sent < due && under.size < MOST_UNDER_WAY; sent += 1) {
        const asked = this.#askGrpc();
        under.add(asked);
        void asked.finally(() => under.delete(asked));
      }
      await pause(EVERY_MS);
    }
    await Promise.all(under);
  }

  async #askGrpc(): Promise<void> {
    const key = this.#key();
    try {
      const { overall_code: code } = await this.#grpc.call({
        domain: 'api',
        descriptors: descriptorsOf({ 'x-api-key': key }),
      });
      if (code !== 'OK' && code !== 'OVER_LIMIT') this.seen.failed.push(`gRPC ${code}`);
      this.seen.note(key, 'grpc', code === 'OK');
    } catch (error) {
      this.seen.failed.push(`gRPC ${String(error)}`);
    }
  }
}

async function answerOf(
  port: number,
  path: string,
  agent: Agent | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const request = get({ host: '127.0.0.1', port, path, headers, ...(agent ? { agent } : { agent: false }) });
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  message.resume();
  await once(message, 'end');
  // The agent gives a connection back a moment later.
  await new Promise(setImmediate);
  return message;
}
