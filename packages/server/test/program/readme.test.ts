import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { documentedFlags, readCommandLine, termOf } from '../../src/program/options/command-line.js';
import { SECRET_SOURCES } from '../../src/program/options/read-secrets.js';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');

const withoutBreaks = (text: string): string => text.replace(/\s+/g, ' ');

/** The cells of each row of the table under a heading. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const table = text.split('\n').filter((line) => line.startsWith('| `--'));
  return table.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

describe('the flags in the README', () => {
  const flags = documentedFlags();

  it('are those of the program, with variable, default and meaning', () => {
    expect(rowsUnder('Flags')).toEqual(
      flags.map((flag) => [`\`${termOf(flag)}\``, `\`${flag.variable}\``, flag.standard ?? '', flag.about]),
    );
  });

  it('are those of the help', () => {
    const help = withoutBreaks(readCommandLine(['--help']).asked ?? '');
    for (const flag of flags) {
      const { about, standard } = flag;
      expect(help).toContain(`${termOf(flag)} ${about}${standard === undefined ? '' : ` (default: ${standard})`}`);
    }
    expect(help.match(/ --[a-z-]+/g)?.length).toBeGreaterThan(flags.length);
  });

  it('name every variable that has a secret', () => {
    const abouts = flags.map(({ about }) => about).join();
    for (const { variable } of Object.values(SECRET_SOURCES)) expect(abouts).toContain(variable);
  });
});

describe('the exit codes in the README', () => {
  it('are those of the help', () => {
    const help = readCommandLine(['--help']).asked ?? '';
    const codes = [...help.matchAll(/^ {2}(\d) {2}(.+)$/gm)].map(([, code, text]) => `${code} ${text}`);
    const rows = [...README.matchAll(/^\| (\d) +\| (.+?) +\|$/gm)].map(([, code, text]) => `${code} ${text}`);
    expect(rows).toEqual(codes);
    expect(codes).toHaveLength(4);
  });
});
