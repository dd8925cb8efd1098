import { loadavg } from 'node:os';
import { machineName } from './machine.js';
import { keepSection } from './results/kept-results.js';
import { SCALES } from './scale.js';
import { SECTIONS } from './sections/index.js';
import { markdown, type Table } from './table.js';

export interface RunOptions {
  readonly scale: keyof typeof SCALES;
  /** Whether the tables replace those that were kept. */
  readonly isToKeep: boolean;
  /** When the run began, as an ISO string. */
  readonly date: string;
}

/** Runs sections one after another, and prints each table as soon as it is measured. */
export async function runSections(names: readonly string[], options: RunOptions): Promise<void> {
  for (const name of names) {
    const startMs = performance.now();
    await runSection(name, options);
    console.error(`${name}: ${Math.round((performance.now() - startMs) / 1_000)} s`);
  }
}

async function runSection(name: string, { scale, isToKeep, date }: RunOptions): Promise<void> {
  const section = SECTIONS.get(name);
  if (!section) throw new Error(`There is no section ${name}`);
  const { title } = section;
  console.log(`\n## ${title}\n`);
  const [loadAverage = Number.NaN] = loadavg();
  const tables: Table[] = [];
  for await (const table of section.run(SCALES[scale])) {
    console.log(`${markdown(table)}\n`);
    tables.push(table);
  }
  const kept = { title, date, machine: machineName(), loadAverage, scale, tables };
  if (isToKeep) keepSection(name, kept, SECTIONS.keys());
}
