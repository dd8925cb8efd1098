import type { Aim } from './aim.js';
import { HTTP } from './http.js';
import { IN_PROCESS } from './in-process.js';
import { OVER_REDIS } from './over-redis.js';
import { PARTS } from './parts.js';
import { STARTING } from './starts.js';

/** What was aimed at, by what it is about. */
export const AIMS: ReadonlyMap<string, readonly Aim[]> = new Map([
  ['Redis', OVER_REDIS],
  ['HTTP', HTTP],
  ['In process', IN_PROCESS],
  ['Starts', STARTING],
  ['What is built on it', PARTS],
]);
