import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const OBSERVE = 'examples/observed-api/observe';

/** Where the programs are that the files name, and how long their times are. */
export interface Observed {
  /** The port of this machine that shows metrics. */
  readonly metricsPort: number;
  /** The address of Alertmanager. Default: none. */
  readonly alertmanager?: string;
  /** How often metrics are read, and rules are evaluated. */
  readonly everyMs: number;
  /** How long a minute of the rules is. */
  readonly minuteMs: number;
}

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/**
 * The files that the compose profile `observe` mounts, for a Prometheus of this machine: with its addresses, and with
 * shorter times.
 */
export function prometheusFiles({ metricsPort, alertmanager, everyMs, minuteMs }: Observed): Record<string, string> {
  return {
    'prometheus.yml': replaceAll(textOf(`${OBSERVE}/prometheus.yml`), {
      'observed:9464': `127.0.0.1:${metricsPort}`,
      '"alertmanager:9093"': alertmanager === undefined ? '' : `"${alertmanager}"`,
      ': 5s': `: ${everyMs}ms`,
    }),
    'sluice.rules.yml': inMinutes(textOf('packages/metrics/prometheus/sluice.rules.yml'), minuteMs),
  };
}

/** The file of Alertmanager, which calls a port of this machine at once. */
export function alertmanagerFile(webhookPort: number): string {
  return replaceAll(textOf(`${OBSERVE}/alertmanager.yml`), {
    'observed:9464': `127.0.0.1:${webhookPort}`,
    'group_wait: 1s': 'group_wait: 50ms',
    'group_interval: 5s': 'group_interval: 250ms',
  });
}

/** Replaces each text, which has to be there. */
function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`${from} is not in ${changed}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** Ranges such as `[5m]`, and times such as `for: 10m`. The names of recorded series stay. */
function inMinutes(rules: string, minuteMs: number): string {
  return rules.replaceAll(/(\[|for: )(\d+)m\b/g, (_, before, minutes) => `${before}${Number(minutes) * minuteMs}ms`);
}
