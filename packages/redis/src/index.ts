export type { ReadyOptions } from '@sluice/core/store';
export type { RedisClient } from './redis-client.js';
export type { HashTag } from './redis-keys.js';
export { RedisStore } from './redis-store.js';
export type { RedisStoreOptions } from './redis-store-options.js';
