import { CATALOGUE, type Metric } from '../src/catalogue.js';

/** How metrics and labels are named where they are read: in the spelling of the catalogue, or in another one. */
export type Spelling = 'prometheus' | 'otel';

/** Names of the catalogue in a query, strings and variables of Grafana, of which the last two are left as they are. */
const TOKENS = /"(?:[^"\\]|\\.)*"|\$\w+|\{\{|\}\}|[a-zA-Z_:][\w:]*/g;

/** The metrics of the decision service, which it shows itself, and only to Prometheus. */
export const SERVICE_METRICS = ['sluice_server_requests_total', 'sluice_server_request_duration_seconds'] as const;

const METRICS: readonly Metric[] = Object.values(CATALOGUE);
const LABELS = new Set(METRICS.flatMap(({ labels }) => labels));

/** What Prometheus adds to the name of a histogram. */
const PARTS = ['', '_bucket', '_sum', '_count'];

/** The names of OpenTelemetry's exporter for Prometheus by those of the catalogue. */
const OTEL_NAMES = new Map(
  METRICS.flatMap(({ name, instrument, type }) => {
    const otel = instrument.replaceAll('.', '_') + (type === 'counter' ? '_total' : '');
    const parts = type === 'histogram' ? PARTS : [''];
    return parts.map((part): [string, string] => [`sluice_${name}${part}`, `${otel}${part}`]);
  }),
);

const SERVICE_NAMES: ReadonlySet<string> = new Set(
  SERVICE_METRICS.flatMap((name) => (name.endsWith('_seconds') ? PARTS.map((part) => name + part) : [name])),
);

/**
 * Writes a query or a legend in a spelling.
 *
 * @param text - with the names of the catalogue, and the prefix `sluice_`
 * @throws Error if it names a metric that is not in the catalogue, or none that this spelling has
 */
export function spell(text: string, spelling: Spelling): string {
  return text.replaceAll(TOKENS, (token) => {
    const otel = OTEL_NAMES.get(token);
    if (spelling === 'prometheus' && SERVICE_NAMES.has(token)) return token;
    if (token.startsWith('sluice_') && otel === undefined) throw new Error(`${token} is not in the catalogue: ${text}`);
    if (spelling === 'prometheus') return token;
    return LABELS.has(token) ? `sluice_${token}` : (otel ?? token);
  });
}
