import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { excerptOf } from '../src/policy/excerpt.js';
import { annotation } from '../src/policy/github-annotation.js';
import { sluice } from './test-io.js';

const FINE = 'version: 1\npolicies: { api: { limits: [{ limit: 100, window: 1m }] } }\n';

const BROKEN = `version: 1
policies:
  api:
    limits:
      - { nme: minute, limit: 100, window: 1m }
      - limit: -5
        window: 1m
`;

const MISTAKES = `<stdin>:5:11: error: policies.api.limits[0].nme is not an option: use name, got "minute" (SLUICE_OPTION)
    5 |       - { nme: minute, limit: 100, window: 1m }
      |           ^~~
<stdin>:6:16: error: policies.api.limits[1].limit must be a whole number of at least 0, got -5 (SLUICE_OPTION)
    6 |       - limit: -5
      |                ^~
`;

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-validate-'));
  writeFileSync(at('fine.yaml'), FINE);
  writeFileSync(at('broken.yaml'), BROKEN);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const validate = (stdin: string, ...options: string[]) => sluice(['validate', '-', ...options], { stdin });

describe('sluice validate', () => {
  it('is quiet in a pipe if a file is fine', async () => {
    expect(await validate(FINE)).toEqual({ exitCode: 0, out: '', err: '' });
  });

  it('tells a person that a file is fine', async () => {
    const { out } = await sluice(['validate', at('fine.yaml')], { isTTY: true, env: { NO_COLOR: '1' } });
    expect(out).toBe(`fine: ${at('fine.yaml')} (1 policy, 0 tiers, 0 customers)\n`);
  });

  it('shows every mistake with its place, its line and what to write instead', async () => {
    expect(await validate(BROKEN)).toEqual({ exitCode: 1, out: MISTAKES, err: '' });
  });

  it('reads JSON, Windows lines and a missing line break at the end', async () => {
    const json = '{ "version": 1, "policies": { "api": { "limits": [{ "limit": "x", "window": "1m" }] } } }';
    expect((await validate(json)).out).toContain(`    1 | ${json}\n      | ${' '.repeat(json.indexOf('"x"'))}^~~\n`);
    const windows = (await validate(BROKEN.replaceAll('\n', '\r\n').trimEnd())).out;
    expect(windows).toBe(MISTAKES);
  });

  it('checks several files, and the worst of them is the exit code', async () => {
    const { exitCode, out, err } = await sluice(['validate', at('fine.yaml'), at('missing.yaml'), at('broken.yaml')]);
    expect(exitCode).toBe(3);
    expect(out.split('\n').filter((line) => line.includes('error:'))).toHaveLength(2);
    expect(err).toBe(`error: cannot read ${at('missing.yaml')}: there is no such file\n`);
    expect((await sluice(['validate', at('broken.yaml'), at('fine.yaml')])).exitCode).toBe(1);
  });

  it.each<[what: string, file: () => string, reason: string]>([
    ['a folder', () => folder, 'it is a folder'],
    ['text that is not UTF-8', () => at('latin1.yaml'), 'it is not text in UTF-8'],
  ])('says why it cannot read %s', async (_, file, reason) => {
    writeFileSync(at('latin1.yaml'), Buffer.from([0x76, 0xe9, 0x0a]));
    expect(await sluice(['validate', file()])).toEqual({
      exitCode: 3,
      out: '',
      err: `error: cannot read ${file()}: ${reason}\n`,
    });
  });

  it('prints everything as JSON, for programs', async () => {
    const { exitCode, out } = await sluice([
      'validate',
      '--json',
      at('fine.yaml'),
      at('broken.yaml'),
      at('missing.yaml'),
    ]);
    expect(exitCode).toBe(3);
    expect(JSON.parse(out)).toEqual({
      files: [
        { file: at('fine.yaml'), valid: true, contents: { policies: 1, tiers: 0, customers: 0 } },
        {
          file: at('broken.yaml'),
          valid: false,
          mistakes: [
            expect.objectContaining({
              line: 5,
              column: 11,
              path: 'policies.api.limits[0].nme',
              code: 'SLUICE_OPTION',
            }),
            expect.objectContaining({
              line: 6,
              column: 16,
              path: 'policies.api.limits[1].limit',
              code: 'SLUICE_OPTION',
            }),
          ],
        },
        { file: at('missing.yaml'), valid: false, error: `cannot read ${at('missing.yaml')}: there is no such file` },
      ],
    });
    expect((await sluice(['validate', '--format', 'json', at('fine.yaml')])).out).toBe(
      (await sluice(['validate', '--json', at('fine.yaml')])).out,
    );
  });

  it('makes annotations of a pull request, at the line of each mistake', async () => {
    const { exitCode, out } = await sluice(['validate', '--format', 'github', at('broken.yaml')]);
    expect(exitCode).toBe(1);
    expect(out.trimEnd().split('\n')).toEqual([
      `::error file=${at('broken.yaml')},line=5,col=11,title=SLUICE_OPTION::policies.api.limits[0].nme is not an option: use name, got "minute"`,
      `::error file=${at('broken.yaml')},line=6,col=16,title=SLUICE_OPTION::policies.api.limits[1].limit must be a whole number of at least 0, got -5`,
    ]);
  });

  it('lets no text of a file into the command of an annotation', () => {
    const mistake = {
      origin: 'a,line=1:b.yaml',
      line: 2,
      column: 3,
      path: '',
      message: '100%\n::error::',
      code: 'SLUICE_OPTION',
    } as const;
    expect(annotation(mistake)).toBe(
      '::error file=a%2Cline=1%3Ab.yaml,line=2,col=3,title=SLUICE_OPTION::100%25%0A::error::',
    );
  });

  it('lets no text of a file control the terminal', async () => {
    const { out } = await validate(
      'version: 1\npolicies: { "\\e[2Ja\u202Eb": 1 }\n# \u001B]0;title\u0007\n',
      '--format',
      'text',
    );
    expect(out).toContain('error:');
    expect(
      [...out].filter((one) => (one < ' ' && one !== '\n') || (one >= '\u007F' && one < '\u00A0') || one === '\u202E'),
    ).toEqual([]);
  });
});

describe('the excerpt of a file', () => {
  it.each<[what: string, text: string, column: number, line: string, mark: string]>([
    ['a name', 'limit: 5', 1, 'limit: 5', '^~~~~'],
    ['a value', 'limit: -5 # five', 8, 'limit: -5 # five', '       ^~'],
    ['a quoted text', 'window: "1 m", x', 9, 'window: "1 m", x', '        ^~~~~'],
    ['a mapping', 'api: { limit: 5 }', 6, 'api: { limit: 5 }', '     ^'],
    ['the end of a line', 'api:', 5, 'api:', '    ^'],
    ['a line with tabs', '\tlimit: 5', 2, ' limit: 5', ' ^~~~~'],
    ['wide characters', '日本: 5', 5, '日本: 5', '      ^'],
    ['an emoji', '🚦: 5', 5, '🚦: 5', '    ^'],
  ])('marks %s', (_, text, column, line, mark) => {
    expect(excerptOf(`first\n${text}\nlast`, 2, column, 80)).toEqual({ line, mark });
  });

  it('cuts a long line around the place', () => {
    const text = `{ ${'"x": 1, '.repeat(1000)}"limit": -1${', "y": 2'.repeat(1000)} }`;
    const { line, mark } = excerptOf(text, 1, text.indexOf('-1') + 1, 60);
    expect(line.length).toBeLessThanOrEqual(60);
    expect(line.slice(mark.indexOf('^'), mark.indexOf('^') + 2)).toBe('-1');
    expect(line).toMatch(/^….*…$/);
  });

  it('is empty for a line that is not there', () => {
    expect(excerptOf('a', 5, 1, 80)).toEqual({ line: '', mark: '^' });
  });
});

describe('A policy whose key a client can choose', () => {
  const OPEN = `version: 1
keys: { customer: { header: x-api-key } }
policies:
  api: { key: customer, limits: [{ limit: 100, window: 1m }] }
`;
  const MESSAGE = 'policies.api.key is what a client can choose: with each new value of the header x-api-key,';

  it('is a warning with its line, and the file stays valid', async () => {
    const { out, exitCode } = await validate(OPEN);
    expect(exitCode).toBe(0);
    expect(out).toContain(`<stdin>:4:15: warning: ${MESSAGE}`);
    expect(out).toContain('    4 |   api: { key: customer,');
  });

  it('is a warning in JSON', async () => {
    const { out, exitCode } = await validate(OPEN, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).files).toMatchObject([
      { valid: true, warnings: [{ line: 4, path: 'policies.api.key', code: 'SLUICE_CHOSEN_KEY' }] },
    ]);
  });

  it('is an annotation of a pull request', async () => {
    const { out, exitCode } = await validate(OPEN, '--format', 'github');
    expect(exitCode).toBe(0);
    expect(out).toContain(`::warning file=<stdin>,line=4,col=15,title=SLUICE_CHOSEN_KEY::${MESSAGE}`);
  });

  it('is explained with its line', async () => {
    const { out, exitCode } = await sluice(['explain', '-'], { stdin: OPEN });
    expect(exitCode).toBe(0);
    expect(out).toContain('     4  Warning: the key is what a client can choose:');
    const { policies } = JSON.parse((await sluice(['explain', '-', '--json'], { stdin: OPEN })).out);
    expect(policies[0].sentences).toContainEqual(expect.objectContaining({ isWarning: true, line: 4 }));
  });

  const ROOT = join(__dirname, '../../..');
  const shipped = ['packages/config/examples', 'examples/gateways/policies', 'examples/observed-api/policies'].flatMap(
    (folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)),
  );

  it.each(shipped)('is in no file that is shipped: %s', async (file) => {
    expect(await sluice(['validate', join(ROOT, file)])).toEqual({ exitCode: 0, out: '', err: '' });
  });

  it.each(['basic', 'tiers', 'layers'])('is not in the template %s', async (template) => {
    const { out } = await sluice(['init', '-', '--template', template]);
    expect(await validate(out)).toEqual({ exitCode: 0, out: '', err: '' });
  });
});

describe('sluice validate --for service', () => {
  const OPEN_REQUESTS =
    'version: 1\npolicies: { api: { limits: [{ algorithm: concurrency, limit: 2, lease: 1m }] } }\n';

  it('shows what the decision service refuses when it starts', async () => {
    expect((await validate(OPEN_REQUESTS)).exitCode).toBe(0);
    const { exitCode, out } = await validate(OPEN_REQUESTS, '--for', 'service');
    expect(exitCode).toBe(1);
    expect(out).toContain('<stdin>:2:29: error: policies.api.limits[0] counts open requests,');
  });

  it('knows no other program', async () => {
    expect((await validate(FINE, '--for', 'nobody')).exitCode).toBe(2);
  });
});
