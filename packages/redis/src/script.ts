import { createHash } from 'node:crypto';
import type { RedisClient } from './redis-client.js';

/** What a script is told. */
export type Argument = string | number;

/** A Lua script that a server is sent once and then called by its hash. */
export class Script {
  readonly #client: RedisClient;
  readonly #source: string;
  readonly #sha: string;
  #isSent = false;
  /** The call that is bringing the script to a server that has forgotten it; others wait for it. */
  #loading: Promise<unknown> | undefined;

  constructor(client: RedisClient, source: string) {
    this.#client = client;
    this.#source = source;
    this.#sha = createHash('sha1').update(source).digest('hex');
  }

  async run(keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    // The first call brings the source, so that those which are sent after it are not ahead of it.
    if (!this.#isSent) {
      this.#isSent = true;
      return this.#call('EVAL', this.#source, keys, args);
    }
    try {
      return await this.#call('EVALSHA', this.#sha, keys, args);
    } catch (error) {
      if (!isForgotten(error)) throw error;
    }
    return this.#reload(keys, args);
  }

  /**
   * After a restart or SCRIPT FLUSH: the first caller sends the source with its own call, the others wait for it and
   * call again. In a cluster that call may have gone to another node, which may hang, so nobody waits.
   */
  async #reload(keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (this.#client.isCluster) return this.#call('EVAL', this.#source, keys, args);
    if (this.#loading) {
      await this.#loading.catch(() => {});
      try {
        return await this.#call('EVALSHA', this.#sha, keys, args);
      } catch (error) {
        // Forgotten once more.
        if (!isForgotten(error)) throw error;
        return this.#call('EVAL', this.#source, keys, args);
      }
    }
    this.#loading = this.#call('EVAL', this.#source, keys, args);
    try {
      return await this.#loading;
    } finally {
      this.#loading = undefined;
    }
  }

  #call(
    command: 'EVAL' | 'EVALSHA',
    script: string,
    keys: readonly string[],
    args: readonly Argument[],
  ): Promise<unknown> {
    return this.#client.call(command, [script, keys.length, ...keys, ...args]);
  }
}

function isForgotten(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
