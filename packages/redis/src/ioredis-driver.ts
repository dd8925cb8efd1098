import type { Argument, ClientError, RedisDriver } from './redis-driver.js';

/**
 * The part of ioredis 5 or 6, or of iovalkey, that the store uses: a `Redis` (standalone or behind Sentinel) or a `Cluster`. The type is
 * structural, so that two copies of ioredis in one application do not conflict.
 */
export interface IoredisClient {
  /** The state of the connection: `ready` if commands are sent at once. */
  readonly status: string;
  /** Whether it is a `Cluster`. */
  readonly isCluster: boolean;
  /** Its options, as far as the store looks at them. */
  readonly options?: {
    /** The number of the database. */
    readonly db?: unknown;
    /** What the client writes before every key. */
    readonly keyPrefix?: unknown;
    /** Whether the client collects commands before it sends them. */
    readonly enableAutoPipelining?: unknown;
  };
  /** In a cluster: the addresses of each slot's servers, the primary first, as far as they are known. */
  readonly slots?: readonly (readonly string[] | undefined)[];
  /** In a cluster: asks one of its nodes for the slots. */
  refreshSlotsCache?(): void;
  /** In a cluster: the clients of its nodes. */
  nodes?(role: 'master'): IoredisClient[];
  /** Sends a command, and resolves with its reply. */
  call(command: string, args: (string | number | Buffer)[]): Promise<unknown>;
  /** As `call`, but with a string of the reply as a Buffer: replies to decisions are bytes. */
  callBuffer(command: string, args: (string | number | Buffer)[]): Promise<unknown>;
  /** Returns functions that send a command at once, even if the client pipelines. */
  createBuiltinCommand?(command: string): {
    /** Sends the command, and resolves with a string of the reply as a Buffer. */
    readonly buffer: unknown;
  };
  /** Calls the listener for each error of the connection, or each time it is ready. */
  on?(event: 'error' | 'ready', listener: (error: ClientError) => void): unknown;
  /** Calls the listener no more. */
  off?(event: 'error', listener: (error: ClientError) => void): unknown;
}

/** Whether a value has the methods of ioredis that the driver calls. */
export function isIoredis(client: unknown): client is IoredisClient {
  const { call, callBuffer } = (client ?? {}) as Partial<IoredisClient>;
  return typeof call === 'function' && typeof callBuffer === 'function';
}

/** Drives a `Redis` or a `Cluster` of ioredis, or of iovalkey, which came from it. */
export class IoredisDriver implements RedisDriver {
  readonly isCluster: boolean;
  readonly keyPrefix: string;
  readonly database: unknown;
  readonly #client: IoredisClient;
  readonly #isPipelining: boolean;

  constructor(client: IoredisClient) {
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
    const send = own.buffer as (this: IoredisClient, args: (string | number)[]) => Promise<unknown>;
    return send.call(this.#client, args);
  }
}
