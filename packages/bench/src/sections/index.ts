import type { Section } from '../section.js';
import { LOAD_SECTIONS } from './groups/loads.js';
import { MEMORY_SECTIONS } from './groups/memory.js';
import { REDIS_SECTIONS } from './groups/redis.js';
import { REQUEST_SECTIONS } from './groups/requests.js';

/** By the names that the command line takes, in the order in which they run. */
export const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ...MEMORY_SECTIONS,
  ...REDIS_SECTIONS,
  ...REQUEST_SECTIONS,
  ...LOAD_SECTIONS,
]);
