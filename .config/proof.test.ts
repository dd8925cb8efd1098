import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = join(__dirname, '..');
const program = join(__dirname, 'proof.mjs');

const namesOf = (usage: string): string[] => Array.from(usage.matchAll(/^ {2}(\S+)/gm), ([, name]) => name as string);

it('npm run proof lists the proofs if the name is unknown, and the page for contributors names each', async () => {
  const refusal: { code: number; stderr: string } = await run(process.execPath, [program, 'no-such']).then(
    () => ({ code: 0, stderr: '' }),
    (error) => error,
  );
  const page = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8');
  const table = page.slice(page.indexOf('npm run proof'));
  expect(refusal.code).toBe(2);
  expect(namesOf(refusal.stderr).length).toBeGreaterThan(5);
  expect(namesOf(refusal.stderr).filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});
