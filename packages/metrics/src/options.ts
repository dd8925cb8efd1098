import { checkFunction } from '@sluice/core/http';
import { checkOptions, optionError } from '@sluice/core/store';
import type { PolicySource, ReaderOptions } from './read/sample-reader.js';

/** What all exporters accept. */
export interface MetricsOptions {
  /**
   * Live policies, as `policies()` of `@sluice/config` returns them. Their revision, their reloads, the enforcement mode and
   * the limits of each tier are shown, too. Default: none.
   */
  policies?: PolicySource;
  /**
   * An allowed check is near its limit if it leaves at most this share of the limit: a number of tenths, from 0 to 0.9.
   * Default: 0.2.
   */
  nearRatio?: number;
}

/** The names of these options. */
const METRICS_OPTIONS = ['policies', 'nearRatio'] as const;

/** Checks the options of an exporter. `own` are the names of those that only this exporter has. */
export function checkedOptions(options: MetricsOptions, own: readonly string[]): ReaderOptions {
  checkOptions(options, [...METRICS_OPTIONS, ...own]);
  const { policies, nearRatio = 0.2 } = options;
  if (policies !== undefined) checkFunction(Object(policies).status, 'policies.status');
  return { policies, nearTenths: tenthsOf(nearRatio) };
}

/** What a check left is counted by tenths, so that any tenth can be chosen, and none between them. */
function tenthsOf(ratio: unknown): number {
  const tenths = Math.round(Number(ratio) * 10);
  if (typeof ratio === 'number' && Math.abs(ratio * 10 - tenths) < 1e-9 && tenths >= 0 && tenths <= 9) return tenths;
  throw optionError('nearRatio', 'must be 0, 0.1, 0.2 and so on up to 0.9', ratio);
}
