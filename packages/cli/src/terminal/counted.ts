/** Returns a whole number with separators: `1,204,511`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Returns a number of things with their noun: `1 key`, `2,000 keys`, `3 policies`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : `${noun.replace(/(?<![aeiou])y$/, 'ie')}s`}`;
}
