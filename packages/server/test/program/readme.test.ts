import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../src/program/log.js';
import { documentedFlags, readCommandLine, termOf } from '../../src/program/options/command-line.js';
import { SECRET_SOURCES } from '../../src/program/options/read-secrets.js';
import { DEFAULT_OPTIONS } from '../../src/program/options/server-options.js';
import { startServer } from '../../src/program/start-server.js';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const FLAGS = readFileSync(join(__dirname, '../../docs/flags.md'), 'utf8');

const withoutBreaks = (text: string): string => text.replace(/\s+/g, ' ');

/** The cells of each row of the table under a heading. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = FLAGS.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const table = text.split('\n').filter((line) => line.startsWith('| `--'));
  return table.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** The seconds until the limit is whole again depend on the moment. */
const withoutSeconds = (value: string | null | undefined): string => (value ?? '').replace(/(^|t=)6\d$/, '$16x');

describe('the first answer in the README', () => {
  it('is what the service answers', async () => {
    const [, file = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(README) ?? [];
    const [, path = '', answer = ''] = /^\$ curl -i http:\/\/[^/]+(\S+)\n([\s\S]*?)^```/m.exec(README) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'));
    writeFileSync(join(folder, 'sluice.yaml'), file);
    const ports = { port: 0, grpcPort: 0, adminPort: 0, readTokens: ['a-token-that-may-read'] };
    const options = { ...DEFAULT_OPTIONS, ...ports, file: join(folder, 'sluice.yaml') };
    const server = await startServer(options, createLog('silent', { write: () => {} }));
    const { status, statusText, headers } = await fetch(`http://127.0.0.1:${server.ports.traffic}${path}`);
    await server.close();
    rmSync(folder, { recursive: true });
    const [first, ...fields] = answer.trimEnd().split('\n');
    expect(first).toBe(`HTTP/1.1 ${status} ${statusText}`);
    expect(fields.length).toBeGreaterThan(1);
    for (const field of fields) {
      const [name = '', value] = field.split(': ');
      expect([name, withoutSeconds(headers.get(name))]).toEqual([name, withoutSeconds(value)]);
    }
  });
});

describe('the page of the flags', () => {
  const flags = documentedFlags();

  it('has those of the program, with variable, default and meaning', () => {
    expect(rowsUnder('Flags')).toEqual(
      flags.map((flag) => [`\`${termOf(flag)}\``, `\`${flag.variable}\``, flag.standard ?? '', flag.about]),
    );
  });

  it('has those of the help', () => {
    const help = withoutBreaks(readCommandLine(['--help']).asked ?? '');
    for (const flag of flags) {
      const { about, standard } = flag;
      expect(help).toContain(`${termOf(flag)} ${about}${standard === undefined ? '' : ` (default: ${standard})`}`);
    }
    expect(help.match(/ --[a-z-]+/g)?.length).toBeGreaterThan(flags.length);
  });

  it('has a help that fits into a terminal of 80 columns', () => {
    const lines = (readCommandLine(['--help']).asked ?? '').split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('names every variable that has a secret', () => {
    const abouts = flags.map(({ about }) => about).join();
    for (const { variable } of Object.values(SECRET_SOURCES)) expect(abouts).toContain(variable);
  });
});

describe('the exit codes on the page of the flags', () => {
  it('are those of the help', () => {
    const help = readCommandLine(['--help']).asked ?? '';
    const codes = [...help.matchAll(/^ {2}(\d) {2}(.+)$/gm)].map(([, code, text]) => `${code} ${text}`);
    const rows = [...FLAGS.matchAll(/^\| (\d) +\| (.+?) +\|$/gm)].map(([, code, text]) => `${code} ${text}`);
    expect(rows).toEqual(codes);
    expect(codes).toHaveLength(4);
  });
});
