import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProgram } from '../src/program.js';
import type { ReplayResult } from '../src/replay/replay-result.js';
import { resultText } from '../src/replay/result-text.js';
import { sluice, testIo } from './test-io.js';

const page = (path: string) => readFileSync(join(__dirname, '..', path), 'utf8');
const PAGE = page('docs/command-line.md');
/** The options of all verbs that ask a service. */
const [, SHARED = ''] = /\n## What verbs about a service share\n([\s\S]*?)\n## /.exec(PAGE) ?? [];

describe('the page of the command line', () => {
  const verbs = createProgram(testIo()).commands;

  it.each(verbs.map((verb) => [verb.name(), verb] as const))(
    'has the verb %s with all of its options',
    (name, verb) => {
      const section = PAGE.split(`\n## sluice ${name}\n`)[1]?.split('\n## ')[0] ?? '';
      const asksService = verb.options.some(({ long }) => long === '--server') && name !== 'explain';
      const rows = section + (asksService ? SHARED : '');
      const missing = verb.options.map(({ flags }) => `| \`${flags}\``).filter((flags) => !rows.includes(flags));
      expect(missing).toEqual([]);
    },
  );

  it('has every exit code of the help', async () => {
    const codes = [...(await sluice(['--help'])).out.matchAll(/^ {2}(\d) {2}/gm)].map(([, code]) => code as string);
    expect(codes).toEqual(['0', '1', '2', '3']);
    for (const code of codes) expect(PAGE).toContain(`| ${code}    |`);
  });
});

/** The file of the README, and those after it was corrected and changed. */
const [, BROKEN = ''] = /^```yaml\n(version: 1\n[\s\S]*?)^```/m.exec(page('README.md')) ?? [];
const FINE = BROKEN.replace('enterprise', 'pro').replace('refilRate', 'refillRate');
const NEXT = FINE.replace('limit: 60,', 'limit: 90,').replace(
  /\{ name: burst.*/,
  '{ name: burst, limit: 20, window: 1s }',
);

describe('what the pages show of the terminal', () => {
  const shown = ['README.md', 'docs/command-line.md'].flatMap((path) =>
    [...page(path).matchAll(/^```console\n\$ npx --no-install sluice (.*)\n([\s\S]*?)^```/gm)].map(
      ([, command, output]) => [command as string, output as string] as const,
    ),
  );
  const home = process.cwd();
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
    process.chdir(folder);
  });

  afterAll(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(shown)('is what the program prints: %s', async (command, output) => {
    writeFileSync('sluice.yaml', command === 'validate' ? BROKEN : FINE);
    writeFileSync('next.yaml', NEXT);
    expect((await sluice(command.split(' '))).out).toBe(output);
  });
});

describe('what the pages show of the example of a replay', () => {
  it('is what the program prints of it', () => {
    const result = JSON.parse(page('test/replay/example/result.json')) as ReplayResult;
    const [, shown = 'nothing'] = /^```text\n([\s\S]*?)^```/m.exec(page('docs/finding-the-number.md')) ?? [];
    expect(resultText(result, testIo().stdout.colors, 80)).toContain(shown);
  });
});
