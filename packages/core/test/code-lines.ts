import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const COMMENTS = [/\/\*[\s\S]*?\*\//g, /^\s*\/\/.*$/gm];

/** What says where names come from, or hands them on. It translates nothing, and a formatter decides about its lines. */
const IMPORTS = [/^import\b[^;]*;/gm, /^export (type )?(\{[^}]*\}|\*)\s+from\b[^;]*;/gm];

/** Lines that do something: no blank ones, no comments, no imports. */
function codeLines(source: string): number {
  const code = [...COMMENTS, ...IMPORTS].reduce((rest, pattern) => rest.replace(pattern, ''), source);
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

/** Holds an adapter, the sources in this folder, to a budget: what it does beyond translating belongs to the core. */
export function atMostCodeLines(folder: string, budget: number): void {
  it(`The adapter translates and does nothing else: it has no more than ${budget} lines of code but its imports`, () => {
    const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => codeLines(readFileSync(join(folder, file), 'utf8')));
    const total = lines.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(budget);
  });
}
