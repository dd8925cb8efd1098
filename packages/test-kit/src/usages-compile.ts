import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');

/** Compiles the folder `types` of a package's tests. A mistake that compiles is an error, since it stands below `@ts-expect-error`. */
export function usagesCompile(tests: string): void {
  it('Usages compile with the inferred types, and mistakes do not compile', async () => {
    const args = [tsc, '--checkers', '1', '--project', join(tests, 'types')];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  }, 180_000);
}
