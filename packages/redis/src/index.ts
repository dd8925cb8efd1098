export type { RedisClient } from './redis-client.js';
export type { HashTag } from './redis-keys.js';
export { RedisStore, type RedisStoreOptions } from './redis-store.js';
