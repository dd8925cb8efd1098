import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { AdapterApp, AdapterOptions, AdapterTools, RunningAdapter, StartAdapter } from '@sluice/conformance';
import { MemoryStore } from '@sluice/core';
import type { HttpRequest } from '@sluice/core/http';
import { QueueClock } from '../queue-clock.js';
import { until } from '../until.js';
import type { Say } from './say.js';

/** The response to a request, and its time after the start of the test. */
export interface Answer {
  readonly status: number;
  readonly afterMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The policies of an application: one, several in a row, or one whose callbacks read their arguments by the tools. */
export type Policies = AdapterOptions | readonly AdapterOptions[] | ((tools: AdapterTools) => AdapterOptions);

/** More turns of the event loop than a framework needs from a request's turn to its handler. */
const TURNS = 3;

/** An application that a host serves on loopback, whose time is a manual clock. */
export class App {
  readonly clock = new QueueClock();
  readonly store = new MemoryStore({ clock: this.clock });
  /** When handlers began, in milliseconds after the start of the test. */
  readonly startsMs: number[] = [];
  readonly answers: Answer[] = [];

  readonly #beganMs = this.clock.now();
  readonly #agent = new Agent({ keepAlive: true });
  #running: RunningAdapter | undefined;
  /** How many handlers have ended. */
  #served = 0;
  #watchers: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  /** @param handle - default: answers at once with an empty object. */
  async serve(start: StartAdapter, policies: Policies, handle: AdapterApp['handle'] = answerAtOnce): Promise<void> {
    this.#running = await start({
      // Not the loopback address of the test itself, but what a proxy there says.
      trustsLoopback: true,
      policies: (tools) =>
        [typeof policies === 'function' ? policies(tools) : policies]
          .flat()
          .map((options) => ({ store: this.store, ...options })),
      handle: async (request) => {
        this.startsMs.push(this.afterMs);
        this.#notifyWatchers();
        const answer = await handle(request);
        this.#served += 1;
        return answer;
      },
    });
  }

  get url(): string {
    return this.#running?.url as string;
  }

  get afterMs(): number {
    return this.clock.now() - this.#beganMs;
  }

  /** Sends a request and waits for its answer. */
  async ask({ method = 'get', path = '/', headers = {} }: Say = {}): Promise<Answer> {
    const sent = request(new URL(path, this.url), { method, headers, agent: this.#agent }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = await bodyOf(response);
    const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    const answer = {
      status: response.statusCode ?? 0,
      afterMs: this.afterMs,
      headers: Object.fromEntries(fields),
      body,
    };
    this.answers.push(answer);
    this.#notifyWatchers();
    return answer;
  }

  /** Returns the sorted statuses of requests that are sent at once. */
  async atOnce(count: number, say?: Say): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.ask(say)));
    return answers.map(({ status }) => status).sort();
  }

  /** Returns the statuses of requests that are sent one after the other. */
  async inTurn(count: number, say?: Say): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < count; i += 1) statuses.push((await this.ask(say)).status);
    return statuses;
  }

  /** Sends a GET on its own connection, which the test can break off. */
  begin(headers: readonly string[] = []): Socket {
    const lines = ['GET / HTTP/1.1', 'Host: localhost', ...headers, '', ''];
    const socket = connect(Number(new URL(this.url).port), '127.0.0.1');
    socket.write(lines.join('\r\n'));
    return socket;
  }

  /** Lets time pass until this long after the start of the test. */
  at(ms: number): this {
    this.clock.advance(ms - this.afterMs);
    return this;
  }

  /** Lets time pass in small steps, so that a sleeper and its client see the time that it waited for. */
  async pass(ms: number, stepMs = 10): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      this.clock.advance(stepMs);
      for (let turn = 0; turn < TURNS; turn += 1) await turnOfTheLoop();
      await this.#until(() => this.answers.filter(({ status }) => status === 200).length >= this.#served);
    }
  }

  /** Resolves when so many requests have been answered since the start of the test. */
  untilAnswered(count: number): Promise<void> {
    return this.#until(() => this.answers.length >= count);
  }

  /** Resolves when so many handlers have begun. */
  untilStarted(count: number): Promise<void> {
    return this.#until(() => this.startsMs.length >= count);
  }

  /**
   * Resolves when nothing waits any more for a turn or for the renewal of a slot. The server notices this by itself.
   */
  async untilNobodySleeps(): Promise<void> {
    await until(() => this.clock.asleep() === 0);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#running?.close();
    this.store.close();
  }

  #until(isMet: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.push({ isMet, resolve });
      this.#notifyWatchers();
    });
  }

  #notifyWatchers(): void {
    for (const { resolve } of this.#watchers.filter(({ isMet }) => isMet())) resolve();
    this.#watchers = this.#watchers.filter(({ isMet }) => !isMet());
  }
}

/** A callback that reads the request alone. */
export function by<T>(tools: AdapterTools, read: (request: HttpRequest) => T): (...args: readonly unknown[]) => T {
  return (...args) => read(tools.requestOf(args));
}

/** What a response says in JSON: nothing, if it does not. */
async function bodyOf(response: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await text(response);
  return body !== '' && response.headers['content-type']?.includes('json') ? JSON.parse(body) : {};
}

function answerAtOnce(): { status: number; body: Record<string, unknown> } {
  return { status: 200, body: {} };
}

export type Start = (policies: Policies, handle?: AdapterApp['handle']) => Promise<App>;
