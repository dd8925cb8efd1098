// Why it is so: core/docs/why/calls-to-redis.md

/** An argument of a script. */
export type Argument = string | number;

/** An error of a client while it connects. */
export type ClientError = Error & { readonly code?: string };

/**
 * What a `RedisStore` needs of a client. All that differs from one client to another is behind it. So deadlines, the loading of
 * scripts and the texts of errors are the same for all of them.
 */
export interface RedisDriver {
  /**
   * The state of the connection: `ready` if commands are sent at once, `end` if the client is closed. In any other state it is going to be
   * connected.
   */
  readonly status: string;
  /** Whether the keys are on the servers of a Redis Cluster. Default: false. */
  readonly isCluster?: boolean;
  /** What the client writes before every key. Default: nothing. */
  readonly keyPrefix?: string;
  /** The number of the database. Default: 0. */
  readonly database?: unknown;
  /** Whether the client can return strings as text alone. Default: false. */
  readonly returnsText?: boolean;

  /**
   * Runs a script by its hash (`evalsha`) or by its source (`eval`), and resolves with its reply.
   *
   * @param isPacked - whether the reply is a string of bytes, which has to come as a Buffer. Any other reply has its strings as text. With
   * `returnsText`, this reply is text, too.
   */
  runScript(
    command: 'eval' | 'evalsha',
    script: string,
    keys: readonly string[],
    args: readonly Argument[],
    isPacked: boolean,
  ): Promise<unknown>;
  /** Sends a command that is about one key at most, and resolves with its reply. */
  command(name: string, args: readonly string[]): Promise<unknown>;

  /** Calls the listener each time the client has connected. Without it, the first decisions send the scripts. */
  onReady?(listener: () => void): void;
  /** Calls the listener for each error of the connection. Returns a function that ends that. */
  onError?(listener: (error: ClientError) => void): () => void;

  /** In a cluster: runs a script without keys by its source, on each primary. Resolves with the replies. */
  runOnPrimaries?(source: string, args: readonly Argument[], isPacked: boolean): Promise<readonly unknown[]>;
  /** In a cluster: the address of the primary of a slot, `'10.0.0.7:6379'`; undefined if the client does not know it. */
  addressOf?(slot: number): string | undefined;
  /** In a cluster: asks a server again where the slots are. */
  refreshSlots?(): void;
}

/** Whether the client connects by itself. One that waits (`wait` of ioredis) connects when it is asked for something. */
export function isConnecting({ status }: RedisDriver): boolean {
  return status !== 'ready' && status !== 'wait' && status !== 'end';
}

/** Returns why a client cannot get any reply now; undefined if it can. */
export function troubleOf({ status }: RedisDriver): string | undefined {
  return status === 'ready' ? undefined : `the Redis client is not connected, its status is ${status}`;
}
