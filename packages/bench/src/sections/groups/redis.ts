import type { Section } from '../../section.js';
import { fleet } from '../fleet.js';
import { growth } from '../growth.js';
import { mixed } from '../mixed.js';
import { rare } from '../rare.js';
import { redis } from '../redis.js';
import { severalProcesses } from '../several-processes.js';
import { sharedKey } from '../shared-key.js';

/** What decisions over Redis cost. */
export const REDIS_SECTIONS: readonly (readonly [name: string, section: Section])[] = [
  ['redis', redis],
  ['mixed', mixed],
  ['rare', rare],
  ['shared-key', sharedKey],
  ['several-processes', severalProcesses],
  ['fleet', fleet],
  ['growth', growth],
];
