import { CATALOGUE, type Metric } from '../src/index.js';

/** The rows of the table in `docs/all-metrics.md`, one for each metric. */
export const CATALOGUE_ROWS: readonly string[] = Object.values<Metric>(CATALOGUE).map(rowOf);

function rowOf({ name, type, help, labels, values = {}, instrument, unit }: Metric): string {
  const shown = labels.map((label) => [code(label), values[label]?.map(code).join(', ')].filter(Boolean).join(': '));
  return `| ${[code(name), type, shown.join('; ') || 'none', help, `${code(instrument)} (${code(unit)})`].join(' | ')} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
