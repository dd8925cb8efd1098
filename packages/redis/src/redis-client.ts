/**
 * What is used of ioredis, 5 or 6: a `Redis` (standalone or behind Sentinel) or a `Cluster`. Structural, so that two
 * copies of ioredis in one application do not quarrel.
 */
export interface RedisClient {
  readonly status: string;
  readonly isCluster: boolean;
  readonly options?: { readonly keyPrefix?: unknown };
  /** Of a cluster: the addresses of each slot's servers, the primary first, as far as they are known. */
  readonly slots?: readonly (readonly string[] | undefined)[];
  /** Of a cluster: asks one of its nodes for the slots. */
  refreshSlotsCache?(): void;
  call(command: string, args: (string | number | Buffer)[]): Promise<unknown>;
  on?(event: 'error', listener: (error: ClientError) => void): unknown;
  off?(event: 'error', listener: (error: ClientError) => void): unknown;
}

/** What a client fails with while it connects. */
export type ClientError = Error & { readonly code?: string };

/** What keeps a client from being answered at all, if anything does. */
export function troubleOf({ status }: RedisClient): string | undefined {
  return status === 'ready' ? undefined : `the Redis client is not connected, its status is ${status}`;
}
