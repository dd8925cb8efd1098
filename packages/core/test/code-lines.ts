import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

/** Lines that hold code: no blank ones and no comments. */
function codeLines(source: string): number {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

/** Holds an adapter, the sources in this folder, to a budget: what it does beyond translating belongs to the core. */
export function atMostCodeLines(folder: string, budget: number): void {
  it(`The adapter translates and does nothing else: it has no more than ${budget} lines of code`, () => {
    const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => codeLines(readFileSync(join(folder, file), 'utf8')));
    const total = lines.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(budget);
  });
}
