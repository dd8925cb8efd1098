import type { Section } from '../../section.js';
import { load } from '../load.js';
import { overload } from '../overload.js';

/** What protects a process from too many requests. */
export const LOAD_SECTIONS: readonly (readonly [name: string, section: Section])[] = [
  ['load', load],
  ['overload', overload],
];
