/** Returns a number of things: `1 mistake`, `2 mistakes`, `3 policies`. */
export function countText(count: number, thing: string): string {
  const things = count === 1 ? thing : `${thing.replace(/y$/, 'ie')}s`;
  return `${count.toLocaleString('en-US')} ${things}`;
}
