import type { Limit } from '@sluice/core';
import { calendarWords } from '../words/limit-words.js';
import { duration, list, number, type Setting, type Settings, text } from './settings.js';

/** Defaults are left out, so that another algorithm is one difference. */
const DEFAULT_BUCKETS = 20;

/** The name of the quota in the file. */
const isBucket = ({ capacity }: Limit): boolean => capacity !== undefined;

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
