export type { RedisClient } from './redis-client.js';
export type { HashTag } from './redis-keys.js';
export { type ReadyOptions, RedisStore, type RedisStoreOptions } from './redis-store.js';
