import type { Described } from './describe.js';

/** A piece of code that stands in a value as it is. */
export class Code {
  constructor(readonly text: string) {}
}

/** A value of an options object. */
export type Written = Described | Code | { readonly [name: string]: Written } | readonly Written[];

const WIDTH = 96;

/**
 * Writes a value as TypeScript, in one line if it has room there.
 *
 * @param indent - how far the line is indented in which it begins
 */
export function written(value: Written, indent = 0): string {
  const line = inLine(value);
  if (indent + line.length <= WIDTH || value === null || typeof value !== 'object' || value instanceof Code)
    return line;
  const inner = ' '.repeat(indent + 2);
  const end = ' '.repeat(indent);
  if (Array.isArray(value)) {
    return `[\n${value.map((one) => `${inner}${written(one, indent + 2)},\n`).join('')}${end}]`;
  }
  const entries = Object.entries(value as Readonly<Record<string, Written>>);
  return `{\n${entries.map(([name, one]) => `${inner}${name}: ${written(one, indent + 2)},\n`).join('')}${end}}`;
}

function inLine(value: Written): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`;
  const entries = Object.entries(value as Readonly<Record<string, Written>>);
  return `{ ${entries.map(([name, one]) => `${name}: ${inLine(one)}`).join(', ')} }`;
}
