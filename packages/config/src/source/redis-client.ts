import { checkFunction } from '@sluice/core/http';

/**
 * The part of ioredis that sources and controls use: a `Redis` or a `Cluster`. The type is structural, so that two copies of
 * ioredis in one application do not conflict.
 */
export interface RedisClient {
  /** Sends a command, and resolves with its reply. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Makes a second connection, which listens to messages. */
  duplicate(): RedisSubscriber;
}

/** A connection that listens to messages. */
export interface RedisSubscriber {
  /** Listens to the messages of a channel from now on. */
  subscribe(channel: string): Promise<unknown>;
  /** Calls the listener for each message. */
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  /** Calls the listener each time the connection is ready. */
  on(event: 'ready', listener: () => void): unknown;
  /** Calls the listener for each error of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Closes the connection. */
  disconnect(): void;
}

/**
 * Checks a client.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkRedis(client: RedisClient): void {
  checkFunction((client as Partial<RedisClient> | undefined)?.call, 'client.call');
  checkFunction((client as Partial<RedisClient> | undefined)?.duplicate, 'client.duplicate');
}
