import type { Section } from '../../section.js';
import { admission } from '../admission.js';
import { allocation } from '../allocation.js';
import { attack } from '../attack.js';
import { expiry } from '../expiry.js';
import { inProcess } from '../in-process.js';
import { liveKeys } from '../live-keys.js';

/** What decisions in memory cost, and keys. */
export const MEMORY_SECTIONS: readonly (readonly [name: string, section: Section])[] = [
  ['in-process', inProcess],
  ['allocation', allocation],
  ['admission', admission],
  ['live-keys', liveKeys],
  ['expiry', expiry],
  ['attack', attack],
];
