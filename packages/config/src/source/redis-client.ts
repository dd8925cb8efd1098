import { checkFunction } from '@sluice/core/http';

/**
 * The part of ioredis that sources and controls use: a `Redis` or a `Cluster`. The type is structural, so that two copies of
 * ioredis in one application do not conflict.
 */
export interface RedisClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Makes a second connection, which listens to messages. */
  duplicate(): RedisSubscriber;
}

/** A connection that listens to messages. */
export interface RedisSubscriber {
  subscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
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
