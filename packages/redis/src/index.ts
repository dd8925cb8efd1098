export type { ReadyOptions } from '@sluice/core/store';
export type { IoredisClient } from './ioredis-driver.js';
export type { NodeRedisClient } from './node-redis-driver.js';
export type { RedisClient } from './redis-client.js';
export type { RedisDriver } from './redis-driver.js';
export type { HashTag } from './redis-keys.js';
export { RedisStore } from './redis-store.js';
export type { RedisStoreOptions } from './redis-store-options.js';
export type { UpstashClient } from './upstash-driver.js';
