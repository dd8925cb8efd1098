/** Reads a text of Prometheus: each series by its name and its labels in the order of their names. */
export function parseText(text: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const found = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!found) throw new Error(`not a line of Prometheus: ${line}`);
    const [, name = '', labels = '', value] = found;
    const sorted = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([pair]) => pair).sort();
    const key = `${name}{${sorted.join(',')}}`;
    if (series.has(key)) throw new Error(`two series are ${key}`);
    series.set(key, value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value));
  }
  return series;
}

/** Adds up all series of a metric whose labels have these values. */
export function sumOf(
  series: ReadonlyMap<string, number>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  let sum = 0;
  for (const [key, value] of series) {
    if (key.startsWith(`${name}{`) && pairs.every((pair) => key.includes(pair))) sum += value;
  }
  return sum;
}
