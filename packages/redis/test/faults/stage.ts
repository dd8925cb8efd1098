import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from '@jest/globals';
import { createLimiter, type Decision, type Limiter, type PolicyOptions, subscribe } from '@sluice/core';
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/index.js';
import { RedisServer } from '../redis-server.js';

/** A deadline of the tests: the machine may be busy, so it is longer than the default. */
export const TIMEOUT_MS = 100;

/** What a check may take beyond its deadline, apart from what the process was busy meanwhile. */
const GRACE_MS = 20;

/** A store that is back decides again within this. */
const BACK_MS = 1000;

/** What the clients of these tests take to connect again. */
const RECONNECT_MS = 50;

export const CHOICES = ['local', 'allow', 'deny'] as const;

export interface Answered {
  readonly source: Decision['source'];
  readonly allowed: boolean;
  readonly tookMs: number;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function connected(port: number): Redis {
  const client = new Redis(port, { retryStrategy: () => RECONNECT_MS });
  // Each fault is one that the client may tell of.
  client.on('error', () => {});
  return client;
}

/** A server, stores on it, and what their limiters answered, with the time that it took. */
export class Stage {
  readonly server: RedisServer;
  readonly answers: Answered[] = [];
  readonly #loopDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: 5 });
  readonly #clients: Redis[] = [];
  readonly #stores: RedisStore[] = [];
  readonly #stopListening: () => void;
  #openBreakers = 0;

  private constructor(server: RedisServer) {
    this.server = server;
    this.#loopDelay.enable();
    this.#stopListening = subscribe('sluice:breaker', ({ state }) => {
      if (state === 'open') this.#openBreakers += 1;
      if (state === 'closed') this.#openBreakers -= 1;
    });
  }

  static async set(...options: readonly string[]): Promise<Stage> {
    return new Stage(await RedisServer.start(options));
  }

  /** Stops the server where it is. */
  async freeze(): Promise<void> {
    this.server.freeze();
    await sleep(20);
  }

  client(port = this.server.port): Redis {
    const client = connected(port);
    this.#clients.push(client);
    return client;
  }

  store({ client = this.client(), instances = 1, timeout = TIMEOUT_MS } = {}): RedisStore {
    const store = new RedisStore({ client, timeout, instances });
    this.#stores.push(store);
    return store;
  }

  /** What Redis holds, by another connection than that of the store under test. */
  async remaining(options: PolicyOptions<[subject: string]>, subject: string): Promise<number> {
    const limiter = createLimiter({ ...options, store: this.store({ timeout: 5000 }) });
    const decision = await limiter.peek(subject);
    expect(decision.source).toBe('store');
    return decision.tightest.remaining;
  }

  async ask(limiter: Limiter<string, true>, subject = 'ann'): Promise<Answered> {
    const startMs = performance.now();
    const { source, allowed } = await limiter.consume(subject);
    const answered = { source, allowed, tookMs: performance.now() - startMs };
    this.answers.push(answered);
    return answered;
  }

  /** Asks in batches of `size` for so long. */
  async askFor(limiter: Limiter<string, true>, ms: number, size = 10): Promise<Answered[]> {
    const asked: Promise<Answered>[] = [];
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) {
      for (let i = 0; i < size; i += 1) asked.push(this.ask(limiter));
      await sleep(10);
    }
    return Promise.all(asked);
  }

  /** Resolves when the store decides, which has to be soon. */
  async untilBack(limiter: Limiter<string, true>, subject = 'ann'): Promise<void> {
    const startMs = performance.now();
    while ((await this.ask(limiter, subject)).source !== 'store') {
      expect(performance.now() - startMs).toBeLessThan(BACK_MS + RECONNECT_MS + this.#busyMs());
      await sleep(10);
    }
  }

  /** Every request so far was answered by the deadline, but for what the process was busy. */
  expectAllInTime(timeoutMs = TIMEOUT_MS): void {
    const longestMs = Math.max(...this.answers.map(({ tookMs }) => tookMs));
    expect(longestMs).toBeLessThan(timeoutMs + GRACE_MS + this.#busyMs());
  }

  async clear(): Promise<void> {
    this.#loopDelay.disable();
    this.server.thaw();
    await Promise.all(this.#stores.map((store) => store.close()));
    // The next probe meets a closed store, and is the last.
    for (let tries = 0; this.#openBreakers > 0 && tries < 100; tries += 1) await sleep(20);
    this.#stopListening();
    for (const client of this.#clients) client.disconnect();
    await this.server.stop();
  }

  /** A request waits for the event loop when it is sent and when it is answered. */
  #busyMs(): number {
    return 2 * (this.#loopDelay.max / 1e6);
  }
}

export function sourcesOf(answers: readonly Answered[]): Set<Decision['source']> {
  return new Set(answers.map(({ source }) => source));
}

export function admittedOf(answers: readonly Answered[]): number {
  return answers.filter(({ allowed }) => allowed).length;
}
