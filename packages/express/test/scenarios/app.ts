import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterEach } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import type express from 'express';
import type { Express, Request, RequestHandler, Response } from 'express';
import supertest from 'supertest';
import { MemoryStore, type RateLimitOptions, rateLimit } from '../../src/index.js';
import { onEveryExpress } from '../every-express.js';

/** How a request was answered, and how long after the start of the test. */
export interface Answer {
  readonly status: number;
  readonly afterMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request says besides GET and `/`. */
export interface Say {
  readonly method?: 'get' | 'head' | 'post' | 'put' | 'delete' | 'patch';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an application has besides one limiter and a handler that answers at once. */
export interface Setting {
  /** Set up before the limiter. */
  readonly before?: (app: Express, store: MemoryStore) => void;
  /** Default: answers 200 with an empty object. */
  readonly handler?: RequestHandler;
}

/** An application listening on loopback, whose time is a manual clock. */
export class App {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore({ clock: this.clock });
  /** When handlers began, in milliseconds after the start of the test. */
  readonly startsMs: number[] = [];
  readonly answers: Answer[] = [];

  readonly #beganMs = this.clock.now();
  readonly #server: Server;
  #watchers: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  constructor(createApp: typeof express, options: RateLimitOptions, { before, handler = answerAtOnce }: Setting) {
    const app = createApp();
    // Not the loopback address of the test itself, but what a proxy there says.
    app.set('trust proxy', 'loopback');
    before?.(app, this.store);
    app.use(rateLimit({ store: this.store, ...options }));
    app.use((_req, _res, next) => {
      this.startsMs.push(this.afterMs);
      this.#tellWatchers();
      next();
    });
    app.use(handler);
    this.#server = createServer(app);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get afterMs(): number {
    return this.clock.now() - this.#beganMs;
  }

  /** Sends a request and waits for its answer. */
  async ask({ method = 'get', path = '/', headers = {} }: Say = {}): Promise<Answer> {
    const { status, headers: fields, body } = await supertest(this.#server)[method](path).set(headers);
    const answer = { status, afterMs: this.afterMs, headers: fields, body };
    this.answers.push(answer);
    this.#tellWatchers();
    return answer;
  }

  /** The statuses of requests that are sent at once, in no order but that of the statuses. */
  async atOnce(count: number, say?: Say): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.ask(say)));
    return answers.map(({ status }) => status).sort();
  }

  /** The statuses of requests that are sent one after the other. */
  async inTurn(count: number, say?: Say): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < count; i += 1) statuses.push((await this.ask(say)).status);
    return statuses;
  }

  /** Lets time pass up to this long after the start of the test. */
  at(ms: number): this {
    this.clock.advance(ms - this.afterMs);
    return this;
  }

  /** Lets time pass in small steps, so that what wakes up sees the time for which it was waiting. */
  async pass(ms: number, stepMs = 10): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      this.clock.advance(stepMs);
      await turnOfTheLoop();
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

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    this.store.close();
  }

  #until(isMet: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.push({ isMet, resolve });
      this.#tellWatchers();
    });
  }

  #tellWatchers(): void {
    for (const { resolve } of this.#watchers.filter(({ isMet }) => isMet())) resolve();
    this.#watchers = this.#watchers.filter(({ isMet }) => !isMet());
  }
}

function answerAtOnce(_req: Request, res: Response): void {
  res.json({});
}

export type Start = (options: RateLimitOptions, setting?: Setting) => Promise<App>;

/** Runs the same tests on every version of Express, and closes each application that they start. */
export function withApps(body: (start: Start) => void): void {
  onEveryExpress((createApp) => {
    const apps: App[] = [];
    afterEach(async () => {
      await Promise.all(apps.splice(0).map((app) => app.close()));
    });
    body(async (options, setting = {}) => {
      const app = await new App(createApp, options, setting).listen();
      apps.push(app);
      return app;
    });
  });
}

/** So many of a thing. */
export function times<T>(count: number, thing: T): T[] {
  return Array.from({ length: count }, () => thing);
}

/** A client behind the trusted proxy. */
export function from(ip: string): Say {
  return { headers: { 'X-Forwarded-For': ip } };
}
