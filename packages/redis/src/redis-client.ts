import type { ClientError } from './redis-driver.js';

/**
 * The part of ioredis 5 or 6 that the store uses: a `Redis` (standalone or behind Sentinel) or a `Cluster`. The type is
 * structural, so that two copies of ioredis in one application do not conflict.
 */
export interface RedisClient {
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
  nodes?(role: 'master'): RedisClient[];
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
