import { expect } from '@jest/globals';
import { createLimiter, type PolicyOptions, subscribe } from '@sluice/core';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import type { RedisStore } from '../../src/index.js';
import { Callers, RECONNECT_MS, sleep, sourcesOf, TIMEOUT_MS } from './callers.js';

export {
  type Answered,
  admittedOf,
  CHOICES,
  DEFAULT_MS,
  sleep,
  slownessOf,
  sourcesOf,
  TIMEOUT_MS,
} from './callers.js';

export function connected(port: number): Redis {
  const client = new Redis(port, { retryStrategy: () => RECONNECT_MS });
  // The client may report each fault.
  client.on('error', () => {});
  return client;
}

/** A server, and callers of stores on it. */
export class Stage extends Callers {
  readonly server: RedisServer;
  readonly #clients: Redis[] = [];

  private constructor(server: RedisServer) {
    super();
    this.server = server;
  }

  static async set(...options: readonly string[]): Promise<Stage> {
    return new Stage(await RedisServer.start(options));
  }

  /** Stops the server where it is. */
  async freeze(): Promise<void> {
    await this.server.freeze();
    await sleep(20);
  }

  client(port = this.server.port): Redis {
    const client = connected(port);
    this.#clients.push(client);
    return client;
  }

  store({ client = this.client(), instances = 1, timeout = TIMEOUT_MS } = {}): RedisStore {
    return this.storeOver(client, timeout, instances);
  }

  /** The state in Redis, read over another connection than the tested store's. */
  async remaining(options: PolicyOptions<[subject: string]>, subject: string): Promise<number> {
    const limiter = createLimiter({ ...options, store: this.store({ timeout: 5000 }) });
    const decision = await limiter.peek(subject);
    expect(decision.source).toBe('store');
    return decision.tightest.remaining;
  }

  async clear(): Promise<void> {
    await this.server.thaw();
    await this.close();
    for (const client of this.#clients) client.disconnect();
    await this.server.stop();
  }
}

/** A Redis that answers reads, and refuses writes with an error. */
interface RefusedWrites {
  begin(client: Redis): Promise<unknown>;
  end(client: Redis): Promise<unknown>;
  /** What the store's error says about it. */
  readonly explained: string;
}

/** Expects that the policy decides while Redis refuses writes, that the error says what to do, and that Redis decides afterwards. */
export async function expectLocalDecisions(stage: Stage, { begin, end, explained }: RefusedWrites): Promise<void> {
  const limiter = createLimiter({ limit: 1000, window: '1h', store: stage.store() });
  const client = stage.client();
  await stage.untilBack(limiter);
  const errors: unknown[] = [];
  const states: string[] = [];
  const stops = [
    subscribe('sluice:store-error', ({ error }) => errors.push(error)),
    subscribe('sluice:breaker', ({ state }) => states.push(state)),
  ];
  await begin(client);
  expect(sourcesOf(await stage.askFor(limiter, 600))).toEqual(new Set(['local']));
  // It answers reads, but no probe takes it as healthy.
  expect(states).toContain('half-open');
  expect(states).not.toContain('closed');
  const error = { code: 'SLUICE_STORE', message: expect.stringContaining(explained) };
  expect(errors).toContainEqual(expect.objectContaining(error));
  expect(errors.at(-1)).toMatchObject({ cause: error });
  await end(client);
  await stage.untilBack(limiter);
  for (const stop of stops) stop();
  stage.expectAllInTime();
}
