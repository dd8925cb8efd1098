export type { RedisClient } from './redis-client.js';
export type { HashTag } from './redis-keys.js';
export { type ReadyOptions, RedisStore } from './redis-store.js';
export type { RedisStoreOptions } from './redis-store-options.js';
