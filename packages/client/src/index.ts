export type { Advice, AdviceUnit } from './headers/advice.js';
export type { HeaderSource } from './headers/fields.js';
export { readRateLimit } from './headers/read-rate-limit.js';
export { readRetryAfter } from './headers/retry-after.js';
