import { BARE_MAP, MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import { LOADS, type LoadName } from '../loads.js';
import { roundsOfWorkers } from '../rounds-of-workers.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import { rate, type Table } from '../table.js';

const NOTES: Readonly<Partial<Record<LoadName, readonly string[]>>> = {
  'hot key, allowed': [
    'Those who keep every hit of a key (the log, @nestjs/throttler) are asked about another key after 1,000 decisions.',
  ],
  'many hits in the window': ['The log keeps 10,000 times at most, so it refuses here; the others allow.'],
};

const CAPTIONS: Readonly<Record<LoadName, (scale: Scale) => string>> = {
  'hot key, allowed': () => 'One hot key, allowed',
  'hot key, refused': () => 'One hot key, refused',
  'allowed, a fresh string each time': () => 'One hot key, allowed; a fresh string for each decision',
  'refused, a fresh string each time': () => 'One hot key, refused; a fresh string for each decision',
  'many keys, uniform': ({ uniformKeys }) => `${uniformKeys.toLocaleString('en-US')} keys, one as often as another`,
  'very many keys, Zipf': ({ zipfKeys }) => `${zipfKeys.toLocaleString('en-US')} keys by Zipf's law, exponent 1`,
  'many hits in the window': ({ hitsInWindow }) =>
    `One key with ${hitsInWindow.toLocaleString('en-US')} hits in its window`,
  'windows of a second': () => 'In process: windows of a second, each key several times in a window',
  'mixed costs': () => 'In process: costs of 1 to 7',
};

/** To promote the keys of a round before it begins. */
export const DECISIONS_FLAGS = ['--expose-gc'];

/** The section `mixed` has the others. */
export const MIXED_LOADS = ['windows of a second', 'mixed costs'] as const satisfies readonly LoadName[];

export const IN_PROCESS_LOADS = (Object.keys(LOADS) as LoadName[]).filter(
  (load) => !MIXED_LOADS.some((mixed) => mixed === load),
);

/** Decisions per second of everyone who counts in the process. */
export const inProcess: Section = {
  title: 'In process: decisions per second',

  async *run(scale) {
    for (const load of IN_PROCESS_LOADS) yield await decisionsTable(load, scale);
  },
};

export async function decisionsTable(
  load: LoadName,
  scale: Scale,
  names: readonly string[] = [...MEMORY_CONTENDERS.keys()],
): Promise<Table> {
  const optionsOf = (contender: string): object => ({ contender, load, scale });
  const results = await roundsOfWorkers('decisions', names, optionsOf, scale, DECISIONS_FLAGS);
  const bare = results.get(BARE_MAP) ?? [];
  return {
    caption: CAPTIONS[load](scale),
    head: ['', 'decisions', 'ns of the processor each', 'times a bare Map counter'],
    rows: [...results].map(([name, ns]) => {
      const { median } = spreadOf(ns);
      return [name, rate(1e9 / median), median, ratios(ns, bare)];
    }),
    notes: NOTES[load] ?? [],
  };
}
