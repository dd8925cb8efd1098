import type { Argument, RedisDriver } from './redis-driver.js';

/**
 * The part of `Redis` of `@upstash/redis` that the store uses. The type is structural, so that two copies of the package in one application
 * do not conflict.
 */
export interface UpstashClient {
  /** Runs a script by its source. */
  eval(script: string, keys: string[], args: unknown[]): Promise<unknown>;
  /** Runs a script by its hash. */
  evalsha(sha1: string, keys: string[], args: unknown[]): Promise<unknown>;
  /** Deletes keys. */
  unlink(...keys: string[]): Promise<unknown>;
  /** Is called by no store: clients are known by it. */
  createScript(script: string): unknown;
}

/** Whether a value has the methods of `@upstash/redis` that the driver calls. */
export function isUpstash(client: unknown): client is UpstashClient {
  const { eval: run, evalsha, unlink, createScript } = (client ?? {}) as Partial<UpstashClient>;
  return [run, evalsha, unlink, createScript].every((method) => typeof method === 'function');
}

/** Drives a client of Upstash, which sends each call as a request over HTTP, and so is always ready. */
export class UpstashDriver implements RedisDriver {
  readonly status = 'ready';
  /** The client decodes strings of replies as UTF-8. */
  readonly returnsText = true;
  readonly #client: UpstashClient;

  constructor(client: UpstashClient) {
    this.#client = client;
  }

  runScript(
    command: 'eval' | 'evalsha',
    script: string,
    keys: readonly string[],
    args: readonly Argument[],
  ): Promise<unknown> {
    return this.#client[command](script, [...keys], [...args]).catch(throwShort);
  }

  async command(name: string, args: readonly string[]): Promise<unknown> {
    if (name !== 'UNLINK') throw new Error(`${name} is not sent over HTTP`);
    return this.#client.unlink(...args).catch(throwShort);
  }
}

/**
 * Throws the error of Redis alone. The client adds how it was sent, and the command: a script, and the keys of users, which nobody wants in a
 * log.
 */
function throwShort(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const message = error.message.replace(/^Command failed: /, '').replace(/, command was: [\s\S]*$/, '');
  throw message === error.message ? error : new Error(message);
}
