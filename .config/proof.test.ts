import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = join(__dirname, '..');
const program = join(__dirname, 'proof.mjs');

interface Refusal {
  readonly code: number;
  readonly stderr: string;
}

const refusalOf = (...args: readonly string[]): Promise<Refusal> =>
  run(process.execPath, [program, ...args]).then(
    () => ({ code: 0, stderr: '' }),
    (error: Refusal) => error,
  );

const namesOf = (usage: string): string[] => Array.from(usage.matchAll(/^ {2}(\S+)/gm), ([, name]) => name as string);

it('npm run proof lists the proofs if the name is unknown, and the page for contributors names each', async () => {
  const refusal = await refusalOf('no-such');
  const page = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8');
  const table = page.slice(page.indexOf('npm run proof'));
  expect(refusal.code).toBe(2);
  expect(namesOf(refusal.stderr).length).toBeGreaterThan(5);
  expect(namesOf(refusal.stderr).filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});

it.each([
  ['of another proof', ['races', '--for', '20s']],
  ['before its proof', ['--for', '20s', 'soak']],
  ['without its value', ['soak', '--for']],
  ['with a value that a shell would change', ['soak', '--for', '20s;id']],
])('npm run proof takes no option %s, and lists those that there are', async (_title, args) => {
  const { code, stderr } = await refusalOf(...args);
  expect(code).toBe(2);
  expect(stderr).toContain('--for <duration>');
});
