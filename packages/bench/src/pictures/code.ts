import type { Limit } from '@sluice/core';

const TEXTS = new WeakMap<object, string>();

/** Makes a limit, and remembers how it was made, for `codeOf`. */
export function madeBy<O extends object>(make: (options: O) => Limit, options: O): Limit {
  const limit = make(options);
  TEXTS.set(limit, `${make.name}(${codeOf(options)})`);
  return limit;
}

/** Writes options as a reader would write them. A function or an object without plain data is its property's name or `calm`. */
export function codeOf(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return value.name;
  if (typeof value !== 'object' || value === null) return String(value);
  const made = TEXTS.get(value);
  if (made !== undefined) return made;
  if ('isCalm' in value) return 'calm';
  const entries = Object.entries(value).map(([name, entry]) => {
    const text = codeOf(entry);
    return text === name ? name : `${name}: ${text}`;
  });
  return `{ ${entries.join(', ')} }`;
}
