import { CATALOGUE, type Metric } from '../src/index.js';

const METRICS: readonly Metric[] = Object.values(CATALOGUE);
const PARTS = ['', '_bucket', '_sum', '_count'];

/** The names of each metric in a Prometheus that scrapes the application, and in one that OpenTelemetry exports to. */
const NAMES = new Map(
  METRICS.flatMap(({ name, instrument, type }) => {
    const exported = instrument.replaceAll('.', '_') + (type === 'counter' ? '_total' : '');
    return PARTS.map((part): [string, string] => [`sluice_${name}${part}`, exported + part]);
  }),
);

/** Spells a series of prom-client as the Prometheus exporter of OpenTelemetry does. */
export function asOpenTelemetry(series: string): string {
  const [, name = '', labels = ''] = /^([\w:]+)\{(.*)\}$/.exec(series) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) =>
    label === 'le' ? `le="${value}"` : `sluice_${label}="${value}"`,
  );
  return `${NAMES.get(name)}{${pairs.sort().join(',')}}`;
}

/** Leaves out what OpenTelemetry adds to each series, and series that are not of Sluice. */
export function ofSluice(series: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const own = [...series].filter(([key]) => key.startsWith('sluice_'));
  return new Map(own.map(([key, value]) => [key.replace(/,?otel_scope_\w+="[^"]*"/g, '').replace('{,', '{'), value]));
}
