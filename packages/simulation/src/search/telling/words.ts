/** Returns a length of time as people say it: `200 ms`, `1.5 s`, `2 min`. */
export function timeText(ms: number): string {
  const [size, unit] =
    Math.abs(ms) < 1000
      ? [1, 'ms']
      : ms % 3_600_000 === 0
        ? [3_600_000, 'h']
        : ms % 60_000 === 0
          ? [60_000, 'min']
          : [1000, 's'];
  return `${Number((ms / size).toFixed(3))} ${unit}`;
}

/** Returns a moment of the run: `At 0.2 s`. */
export function momentText(ms: number): string {
  return `At ${Number((ms / 1000).toFixed(4))} s`;
}

export function unitsText(units: number): string {
  return units === 1 ? '1 unit' : `${units} units`;
}

export function percentText(part: number): string {
  return `${Number((part * 100).toFixed(1))} %`;
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** Returns a small number as a word. */
export function numberText(count: number): string {
  return NUMBERS[count] ?? String(count);
}

/** Returns a list as text: `a, b and c`. */
export function listText(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
