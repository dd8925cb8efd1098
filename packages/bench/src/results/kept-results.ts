import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Table } from '../table.js';
import { pageOf } from './page.js';

/** The tables of one section, as one run gave them. */
export interface KeptSection {
  readonly title: string;
  readonly date: string;
  readonly machine: string;
  /** How many processes wanted the processors in the minute before, this run's own included. */
  readonly loadAverage: number;
  /** The name of the scale. */
  readonly scale: string;
  readonly tables: readonly Table[];
}

/** By the name of the section. A section is as old as its last run that was kept. */
export type KeptResults = Readonly<Record<string, KeptSection>>;

/** Where results are kept: figures as data, from which pictures are drawn, and the same as a page. */
export const RESULTS_FOLDER = new URL('../../results/', import.meta.url);

const fileIn = (folder: URL): URL => new URL('bench.json', folder);

/** Nothing was kept yet: no results. */
export function readResults(folder = RESULTS_FOLDER): KeptResults {
  const file = fileIn(folder);
  if (!existsSync(file)) return {};
  // JSON has no NaN, and writes null.
  return JSON.parse(readFileSync(file, 'utf8'), (_, value) => (value === null ? Number.NaN : value));
}

/** Replaces what was kept of a section, and writes the page again. Other sections stay as they are. */
export function keepSection(
  name: string,
  section: KeptSection,
  order: Iterable<string>,
  folder = RESULTS_FOLDER,
): void {
  const results: KeptResults = { ...readResults(folder), [name]: section };
  const sorted = Object.fromEntries([...order].flatMap((key) => (results[key] ? [[key, results[key]]] : [])));
  writeFileSync(fileIn(folder), jsonOf(sorted));
  // From the rounded figures: rounding twice may give another digit.
  writeFileSync(new URL('bench.md', folder), pageOf(readResults(folder)));
}

/** A line for each cell, with the digits that anybody looks at. */
function jsonOf(results: KeptResults): string {
  const text = JSON.stringify(
    results,
    (_, value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value),
    1,
  );
  return `${text.replace(/\{\s+("median": .*,)\s+("least": .*,)\s+("most": .*)\s+\}/g, '{ $1 $2 $3 }')}\n`;
}
