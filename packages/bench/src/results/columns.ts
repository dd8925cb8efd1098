import type { Outcome } from '../contenders/http/outcomes.js';
import type { Identity } from '../contenders/http/serve.js';
import { TOLD_APART } from '../sections/http.js';
import { callersOf, PLACEMENTS, type Placement } from '../sections/redis.js';
import type { Column } from './place.js';

/**
 * The columns of kept tables that the page and the pictures show. Captions and heads contain numbers of a scale, so only what
 * is before and after them is compared.
 */

type Head = string;

/** Of decisions that are allowed over Redis. */
export function overRedis(callers: number, placement: Placement, head: Head): Column {
  return { section: 'redis', caption: [`${callersOf(callers)}, `, `, allowed; ${PLACEMENTS[placement]}`], head };
}

/** Of three limits beside one, at p50. */
export function threeLimits(placement: Placement): Column {
  return { section: 'redis', caption: ['Three limits in one decision', PLACEMENTS[placement]], head: 'p50' };
}

/** Of new processes over Redis. */
export const firstCalls = (head: Head): Column => ({ section: 'rare', caption: ['Over Redis: the first', ''], head });

/** Of a call in a tenth of a second over Redis. */
export const rareCalls = (head: Head): Column => ({ section: 'rare', caption: ['Over Redis: one call in', ''], head });

/** Of what limiting adds to a request of a framework. */
export function overHttp(host: string, outcome: Outcome, identity: Identity = 'address'): Column {
  return {
    section: 'http',
    caption: [`${host}, `, `${TOLD_APART[identity]}, ${outcome}`],
    head: 'more than the bare route',
  };
}

/** Of a whole request of a framework that is allowed. */
export function wholeRequest(host: string, identity: Identity): Column {
  return {
    section: 'http',
    caption: [`${host}, `, `${TOLD_APART[identity]}, allowed`],
    head: 'µs of the processor each',
  };
}

const CAPTIONS = {
  'one hot key, allowed': ['One hot key, allowed; a fresh string', ''],
  'one hot key, refused': ['One hot key, refused; a fresh string', ''],
  '100,000 keys': ['100,000 keys', 'one as often as another'],
  '1,000,000 keys by Zipf’s law': ['1,000,000 keys by Zipf', ''],
} as const satisfies Readonly<Record<string, Column['caption']>>;

export const IN_PROCESS_LOADS = Object.keys(CAPTIONS) as (keyof typeof CAPTIONS)[];

/** Of decisions in process. */
export function inProcess(
  load: keyof typeof CAPTIONS,
  head: 'ns of the processor' | 'times a bare Map counter',
): Column {
  return { section: 'in-process', caption: CAPTIONS[load], head };
}

/** Of a section with a single table, or of the first that begins so. */
export function of(section: string, head: Head, start = ''): Column {
  return { section, caption: [start, ''], head };
}
