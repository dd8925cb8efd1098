const UNITS: readonly [name: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** Returns a length of time in its largest unit, rounded up: `now`, `850ms`, `12s`, `3m`; `never` stays. */
export function spanText(ms: number | 'never'): string {
  if (ms === 'never') return ms;
  if (ms <= 0) return 'now';
  const [name, unit] = UNITS.find(([, size]) => ms >= size) ?? ['ms', 1];
  return `${Math.ceil(ms / unit)}${name}`;
}

/** Returns the length of a window in the largest unit in which it is whole: `90s` is not `2m`. */
export function windowText(ms: number): string {
  const [name, unit] = UNITS.find(([, size]) => ms % size === 0) ?? ['ms', 1];
  return `${ms / unit}${name}`;
}
