const LEVELS = '▁▂▃▄▅▆▇█';

/** Draws numbers as one line of bars, at most `columns` wide. Nothing is a space. */
export function sparkline(values: readonly number[], columns: number): string {
  const step = Math.max(1, Math.ceil(values.length / columns));
  const sums: number[] = [];
  for (let i = 0; i < values.length; i += step)
    sums.push(values.slice(i, i + step).reduce((sum, value) => sum + value, 0));
  const most = Math.max(...sums, 1);
  return sums.map((sum) => (sum === 0 ? ' ' : LEVELS[Math.min(7, Math.floor((sum / most) * 8))])).join('');
}
