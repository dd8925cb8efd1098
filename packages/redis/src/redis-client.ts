/**
 * What is used of ioredis, 5 or 6: a `Redis` (standalone or behind Sentinel) or a `Cluster`. Structural, so that two copies of ioredis in one
 * application do not quarrel.
 */
export interface RedisClient {
  readonly status: string;
  readonly isCluster: boolean;
  call(command: string, args: (string | number | Buffer)[]): Promise<unknown>;
}
