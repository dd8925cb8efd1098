import type { Limit } from '@sluice/core';
import { calendarWords, limitWords } from '../words/limit-words.js';
import type { PolicyChange } from './policy-change.js';
import { diffSettings, duration, factorOf, list, number, type Setting, type Settings, text } from './settings.js';

/** Defaults are left out, so that another algorithm is one difference. */
const DEFAULT_BUCKETS = 20;

/** The name of the quota in the file. */
const isBucket = ({ capacity }: Limit): boolean => capacity !== undefined;

/** Returns what differs between two limits, either of which may be missing. Another algorithm is one difference. */
export function diffLimits(
  path: string,
  place: string,
  old: Limit | undefined,
  next: Limit | undefined,
): PolicyChange[] {
  if (old === undefined || next === undefined || old.algorithm === next.algorithm) {
    return diffSettings(path, place, old ? limitSettings(old) : {}, next ? limitSettings(next) : {});
  }
  const [from, to] = [old, next].map((limit) => `${limitWords(limit, 'unit')} (${limit.algorithm})`);
  const change: PolicyChange = {
    path: `${path}.algorithm`,
    from: old.algorithm,
    to: next.algorithm,
    factor: factorOf(old.quota, next.quota),
    sentence: `${place}: ${to} instead of ${from}.`,
    forgets: undefined,
  };
  return [change];
}

/** Returns the values of a limit, by the names of the options that a file has for it. */
export function limitSettings(limit: Limit): Settings {
  const { algorithm, quota, windowMs, calendar, buckets, immediate, align, leaseMs, keepForMs, countRejected } = limit;
  if (algorithm === 'unlimited') return { algorithm: text(algorithm) };
  return {
    algorithm: text(algorithm),
    [isBucket(limit) ? 'capacity' : 'limit']: number(quota),
    window: calendar ? text(calendarWords(calendar)) : optional(windowMs, duration),
    align: align === 'clock' ? text(align) : undefined,
    [algorithm === 'leaky-bucket' ? 'leakRate' : 'refillRate']: refillRate(limit),
    refillInterval: limit.byInterval ? optional(limit.refillPeriodMs, duration) : undefined,
    immediate: optional(immediate, number),
    buckets: buckets === DEFAULT_BUCKETS ? undefined : optional(buckets, number),
    lease: optional(leaseMs, duration),
    keepFor: optional(keepForMs, duration),
    countRejected: countRejected === undefined ? undefined : text(String(countRejected)),
    ...blockSettings(limit),
  };
}

const optional = (value: number | undefined, setting: (value: number) => Setting): Setting | undefined =>
  value === undefined ? undefined : setting(value);

/** Units per second, or per interval. */
function refillRate({ refillUnits, refillPeriodMs, byInterval }: Limit): Setting | undefined {
  if (refillUnits === undefined || refillPeriodMs === undefined) return undefined;
  return number(byInterval ? refillUnits : (refillUnits * 1000) / refillPeriodMs);
}

function blockSettings({ blockMs, blocksMs, forgetMs }: Limit): Settings {
  if (blocksMs === undefined) return { blockDuration: optional(blockMs, duration) };
  return {
    blockDuration: list(blocksMs.map((ms) => duration(ms).value as string)),
    'blockDuration.forget': optional(forgetMs, duration),
  };
}
