import type { Measure } from '../comparison.js';
import type { Scale } from '../scale.js';
import { IN_PROCESS_LOADS, MIXED_LOADS } from '../sections/in-process.js';
import { admissions } from './admissions.js';
import { allocations } from './allocations.js';
import { calls } from './calls.js';
import { decisions } from './decisions.js';
import { mixedOverRedis, overRedis } from './over-redis.js';
import { requests } from './requests.js';
import { sharedKeys } from './shared-keys.js';
import { shedders } from './shedders.js';
import { watched } from './watched.js';

/** What two checkouts are compared by, by the section that measures it beside the peers. */
export const MEASURES: ReadonlyMap<string, (scale: Scale) => readonly Measure[]> = new Map([
  ['in-process', (scale) => decisions(IN_PROCESS_LOADS, scale)],
  ['allocation', allocations],
  ['redis', overRedis],
  ['mixed', (scale) => [...decisions(MIXED_LOADS, scale), ...mixedOverRedis(scale)]],
  ['rare', calls],
  ['shared-key', sharedKeys],
  ['http', requests],
  ['admission', admissions],
  ['operations', watched],
  ['load', shedders],
]);
