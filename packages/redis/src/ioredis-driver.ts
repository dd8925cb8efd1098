import type { RedisClient } from './redis-client.js';
import type { Argument, ClientError, RedisDriver } from './redis-driver.js';

/** Whether a value has the methods of ioredis that the driver calls. */
export function isIoredis(client: unknown): client is RedisClient {
  const { call, callBuffer } = (client ?? {}) as Partial<RedisClient>;
  return typeof call === 'function' && typeof callBuffer === 'function';
}

/** Drives a `Redis` or a `Cluster` of ioredis. */
export class IoredisDriver implements RedisDriver {
  readonly isCluster: boolean;
  readonly keyPrefix: string;
  readonly database: unknown;
  readonly #client: RedisClient;
  readonly #isPipelining: boolean;

  constructor(client: RedisClient) {
    const { isCluster, options } = client;
    this.isCluster = isCluster;
    this.keyPrefix = String(options?.keyPrefix ?? '');
    this.database = options?.db;
    this.#client = client;
    this.#isPipelining = Boolean(options?.enableAutoPipelining);
  }

  get status(): string {
    return this.#client.status;
  }

  /** The command is in lower case: ioredis looks it up several times in that form, which it otherwise has to make each time. */
  runScript(
    command: 'eval' | 'evalsha',
    script: string,
    keys: readonly string[],
    args: readonly Argument[],
    isPacked: boolean,
  ): Promise<unknown> {
    const all = [script, keys.length, ...keys, ...args];
    if (!isPacked) return this.#client.call(command, all);
    return this.#isPipelining ? this.#callPastPipelines(command, all) : this.#client.callBuffer(command, all);
  }

  runOnPrimaries(source: string, args: readonly Argument[], isPacked: boolean): Promise<readonly unknown[]> {
    const primaries = this.#client.nodes?.('master') ?? [];
    return Promise.all(
      primaries.map((primary) => new IoredisDriver(primary).runScript('eval', source, [], args, isPacked)),
    );
  }

  command(name: string, args: readonly string[]): Promise<unknown> {
    return this.#client.call(name, [...args]);
  }

  onReady(listener: () => void): void {
    this.#client.on?.('ready', listener);
  }

  onError(listener: (error: ClientError) => void): () => void {
    this.#client.on?.('error', listener);
    return () => void this.#client.off?.('error', listener);
  }

  addressOf(slot: number): string | undefined {
    return this.#client.slots?.[slot]?.[0];
  }

  refreshSlots(): void {
    this.#client.refreshSlotsCache?.();
  }

  /**
   * Calls a command whose reply is bytes on a client that pipelines by itself: with such a client, ioredis loses the command of
   * `callBuffer`.
   */
  #callPastPipelines(command: string, args: (string | number)[]): Promise<unknown> {
    const own = this.#client.createBuiltinCommand?.(command);
    if (!own) return this.#client.callBuffer(command, args);
    const send = own.buffer as (this: RedisClient, args: (string | number)[]) => Promise<unknown>;
    return send.call(this.#client, args);
  }
}
