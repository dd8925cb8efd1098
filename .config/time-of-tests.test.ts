import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = join(__dirname, '..');
/** Its sources are there for tests alone. */
const KIT = join('packages', 'test-kit');

const MADE = /new (?:Redis|Postgres|Sqlite)Store\((\{(?:[^{}]|\{[^{}]*\})*\})\)/g;

/**
 * A test that moves its own clock judges decisions, not deadlines. By default a store gives its server 50 or 100 ms of the machine's
 * time, which a machine that is busy with other tests may not have.
 */
it('A store over a server has ample time in each test that moves its clock', () => {
  const files = ['packages', 'examples']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
    .map((workspace) => join(workspace, workspace === KIT ? 'src' : 'test'))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.ts'));
  const made = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(MADE)].map(([, options]) => ({
      file,
      options: options as string,
    })),
  );
  const clocked = made.filter(({ options }) => /clock/i.test(options));
  expect(clocked.length).toBeGreaterThan(20);
  expect(clocked.filter(({ options }) => !/timeout|options/.test(options))).toEqual([]);
});
