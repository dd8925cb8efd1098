import type { Algorithm, LimitState, Pattern } from '../model/state.js';

/** Names for people. */
export const ALGORITHM_NAMES: Readonly<Record<Algorithm, string>> = {
  'sliding-window': 'Sliding window',
  'sliding-window-log': 'Sliding window log',
  'sliding-window-counter': 'Sliding window counter',
  'fixed-window': 'Fixed window',
  'token-bucket': 'Token bucket',
  'leaky-bucket': 'Leaky bucket',
  concurrency: 'Concurrency',
};

export const PATTERN_NAMES: Readonly<Record<Pattern, string>> = {
  steady: 'Steady',
  bursts: 'Bursts',
  crawler: 'A crawler',
  edge: 'At the edge of a window',
  drawn: 'Drawn by hand',
};

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
] as const;

/** Returns a length of time as people read it: `1m 30s`, `350 ms`. */
export function lengthText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${Number((ms / 1000).toFixed(2))} s`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1000) * 1000;
  for (const [length, unit] of UNITS) {
    if (rest >= length) parts.push(`${Math.floor(rest / length)} ${unit}`);
    rest %= length;
  }
  return parts.slice(0, 2).join(' ');
}

/** Returns a time of the traffic: `0:07`, `1:05:00`. */
export function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Returns `1 request` or `3 requests`. */
export const countText = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;

/** Returns a number as people read it. */
export const numberText = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? 'any number' : value.toLocaleString('en');

/** Says a limit in a few words: `20 per 10s`. */
export function limitText({ algorithm, quota, window, rate, interval, align, unit }: LimitState): string {
  switch (algorithm) {
    case 'token-bucket':
      return `${quota} at once, ${Number(rate.toFixed(2))} each ${interval === '' ? 'second' : interval}`;
    case 'leaky-bucket':
      return `a line of ${quota}, ${Number(rate.toFixed(2))} a second`;
    case 'concurrency':
      return `${quota} at once`;
    default:
      return `${quota} per ${algorithm === 'fixed-window' && align === 'calendar' ? unit : window}`;
  }
}

/** The colours of clients have names in the style sheet. */
export const clientClass = (index: number): string => `pg-client-${index % 4}`;
