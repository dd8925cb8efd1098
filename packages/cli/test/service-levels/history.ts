import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';

const PROMTOOL = debianProgram('promtool');

/** A series, and how many of it there are in each minute. */
export interface HistorySeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly perMinute: number;
}

/** What a Prometheus has read and recorded of policies, in a part of a month. */
export interface History {
  readonly fromMs: number;
  readonly toMs: number;
  readonly decisions: readonly HistorySeries[];
  /** The recorded rates, by the names of their rules. */
  readonly rates: Readonly<Record<string, readonly HistorySeries[]>>;
}

const MINUTE_MS = 60_000;

/** Writes blocks of a Prometheus with a sample a minute of each series. Returns their folder. */
export function writeHistory(folder: string, { fromMs, toMs, decisions, rates }: History): string {
  const lines = ['# TYPE sluice_decisions counter'];
  const minutes = Array.from({ length: (toMs - fromMs) / MINUTE_MS + 1 }, (_, i) => i);
  const add = (name: string, { labels }: HistorySeries, valueAt: (minute: number) => number): void => {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    for (const minute of minutes)
      lines.push(`${name}{${pairs.join(',')}} ${valueAt(minute)} ${fromMs / 1000 + 60 * minute}`);
  };
  for (const series of decisions) add('sluice_decisions_total', series, (minute) => minute * series.perMinute);
  for (const [name, all] of Object.entries(rates)) {
    lines.push(`# TYPE ${name} gauge`);
    for (const series of all) add(name, series, () => series.perMinute / 60);
  }
  const file = join(folder, 'history.txt');
  writeFileSync(file, `${lines.join('\n')}\n# EOF\n`);
  const data = join(folder, 'data');
  execFileSync(PROMTOOL, ['tsdb', 'create-blocks-from', 'openmetrics', file, data], { stdio: 'ignore' });
  return data;
}
