import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { createProgram } from '../src/program.js';
import { sluice, testIo } from './test-io.js';

const FILE = `version: 1
keys: { customer: { header: x-api-key } }
tiers:
  free: { minute: { limit: 60, window: 1m } }
  pro: { minute: { limit: 600, window: 1m } }
customers:
  acme: { tier: pro }
policies:
  api:
    match: { path: /v1/** }
    key: customer
    tier: { from: customers, default: free }
    limits: [{ name: minute, tier: true }]
`;

let folder: string;
let path: string;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-verbs-'));
  path = at('sluice.yaml');
  writeFileSync(path, FILE);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('every verb', () => {
  const verbs = createProgram(testIo()).commands;

  it.each(verbs.map((verb) => [verb.name(), verb] as const))('%s has help, and can print JSON', async (name, verb) => {
    const { exitCode, out, err } = await sluice([name, '--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain(`Usage: sluice ${name}`);
    expect(verb.options.map(({ long }) => long)).toContain('--json');
  });

  it.each(verbs.map((verb) => verb.name()))('%s refuses an option that it does not have', async (name) => {
    const { exitCode, out } = await sluice([name, '--colour']);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  });
});

describe('sluice schema', () => {
  it('prints the schema as the package of policy files has it', async () => {
    const schema = readFileSync(join(__dirname, '../../config/policy.schema.json'), 'utf8');
    expect(await sluice(['schema'])).toEqual({ exitCode: 0, out: schema, err: '' });
    expect((await sluice(['schema', '--json'])).out).toBe(schema);
  });
});

describe('sluice init', () => {
  it.each(['basic', 'tiers', 'layers'])('writes a file without a mistake: %s', async (template) => {
    const file = at(`${template}.yaml`);
    expect(await sluice(['init', file, '--template', template])).toEqual({ exitCode: 0, out: '', err: '' });
    expect(await sluice(['validate', file])).toEqual({ exitCode: 0, out: '', err: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/^# yaml-language-server: \$schema=/);
    expect((await sluice(['explain', file])).exitCode).toBe(0);
  });

  it('prints the file to a pipe for -', async () => {
    const { exitCode, out } = await sluice(['init', '-']);
    expect(exitCode).toBe(0);
    expect(await sluice(['validate', '-'], { stdin: out })).toEqual({ exitCode: 0, out: '', err: '' });
  });

  it('never overwrites a file without --force', async () => {
    const file = at('kept.yaml');
    writeFileSync(file, 'mine');
    const refused = await sluice(['init', file]);
    expect(refused).toMatchObject({
      exitCode: 2,
      out: '',
      err: expect.stringContaining('or overwrite it with --force'),
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await sluice(['init', file, '--force', '--json'])).toMatchObject({
      exitCode: 0,
      out: `${JSON.stringify({ file, template: 'basic' })}\n`,
    });
    expect(readFileSync(file, 'utf8')).not.toBe('mine');
  });

  it('says that a folder is not there', async () => {
    const { exitCode, err } = await sluice(['init', at('no/such/file.yaml')]);
    expect({ exitCode, err }).toEqual({ exitCode: 3, err: expect.stringContaining('cannot write') });
  });

  it('says what to do next on a terminal', async () => {
    const { out } = await sluice(['init', at('next.yaml')], { isTTY: true, env: { NO_COLOR: '1' } });
    expect(out).toContain(`Next: npx --no-install sluice validate ${at('next.yaml')}`);
  });
});

describe('sluice explain', () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 24, 10));

  it('prints each sentence with the line that decides it', async () => {
    expect(await sluice(['explain', path], { clock })).toEqual({
      exitCode: 0,
      err: '',
      out: [
        `api  lines of ${path}`,
        '    10  It is for requests of /v1/**.',
        '    11  It counts by customer (the header x-api-key).',
        '     9  A key that no customer has counts by address.',
        '     9  If the store fails, each process counts by itself, with a share of the limit.',
        '     4  minute, tier free: 60 requests a minute, never more than 60 in any minute. It is the default tier.',
        '     5  minute, tier pro: 600 requests a minute, never more than 600 in any minute.',
        '',
      ].join('\n'),
    });
  });

  it('explains one request, with its header fields', async () => {
    const request = ['--request', 'get /v1/items HTTP/1.1', '-H', 'X-API-Key: acme'];
    const { out } = await sluice(['explain', path, ...request], { clock });
    expect(out).toContain('Customer acme has tier pro.');
    expect(out).not.toContain('tier free');
    expect((await sluice(['explain', path, '--customer', 'acme'], { clock })).out).toBe(out);
    const odd = ['--request', 'GET /v1/items', '-H', 'constructor: acme'];
    const stdin = FILE.replace('x-api-key', 'constructor');
    expect((await sluice(['explain', '-', ...odd], { clock, stdin })).out).toContain('Customer acme has tier pro.');
    expect((await sluice(['explain', path, '--request', 'GET /v2'])).out).toBe(
      `No policy of ${path} is for this request.\n`,
    );
  });

  it('prints the same as JSON, with numbers', async () => {
    const { out } = await sluice(['explain', path, '--policy', 'api', '--customer', 'acme', '--json'], { clock });
    expect(JSON.parse(out).policies[0].limits).toEqual([
      {
        name: 'minute',
        group: 'tier pro',
        limit: { algorithm: 'sliding-window', quota: 600, windowMs: 60_000, buckets: 20 },
        most: { units: 600, windowMs: 60_000 },
        text: 'minute, tier pro: 600 requests a minute, never more than 600 in any minute.',
        path: ['tiers', 'pro', 'minute'],
        line: 5,
      },
    ]);
  });

  it('breaks lines on a terminal', async () => {
    const { out } = await sluice(['explain', path], { clock, isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    const sentences = out.split('\n').slice(1);
    expect(Math.max(...sentences.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(out).toContain('     4  minute, tier free: 60 requests a\n        minute, never more than 60 in\n');
  });

  it.each([
    [['--policy', 'apii'], 'has no policy apii: it has api'],
    [['--request', 'nonsense'], "Write a method and a path: 'GET /v1/items'."],
    [['--request', 'GET /', '-H', 'nonsense'], "Write a name and a value: 'x-api-key: acme'."],
    [['--request', 'GET /', '--ip', '1.2.3'], 'Write an IP address'],
    [['-H', 'x-api-key: acme'], "add --request 'GET /'"],
    [['--at', 'tomorrow'], 'Write a time of ISO 8601'],
    [['--at', '2026-02-30'], 'Write a time of ISO 8601'],
    [['--at', '2026-12-01T25:00Z'], 'Write a time of ISO 8601'],
    [['--at', '2026-12-01 (noon)'], 'Write a time of ISO 8601'],
  ])('says what to type instead of %j', async (options, cure) => {
    const { exitCode, out, err } = await sluice(['explain', path, ...options]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain(cure);
  });

  it('shows the mistakes of a file that it cannot explain', async () => {
    const { exitCode, out, err } = await sluice(['explain', '-'], { stdin: FILE.replace('1m', '1x') });
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toMatch(/^<stdin>:4:\d+: error: tiers\.free\.minute\.window /);
    expect(err).toContain('error: <stdin> has 1 mistake\n');
  });
});

describe('sluice diff', () => {
  const diff = async (from: string, to: string, ...options: string[]) =>
    sluice(['diff', path, '-', ...options], { stdin: FILE.replace(from, to) });

  it('prints nothing to a pipe, and ends with 0, if nothing changes', async () => {
    expect(await diff('', '')).toEqual({ exitCode: 0, out: '', err: '' });
  });

  it('says an ordinary change in words, and ends with 0', async () => {
    expect(await diff('limit: 60,', 'limit: 120,')).toEqual({
      exitCode: 0,
      out: 'Tier free, limit minute: limit is 120 instead of 60.\n',
      err: '',
    });
  });

  it.each([
    [
      'limit: 60, window',
      'algorithm: fixed-window, limit: 60, window',
      'it forgets all that sliding-window has counted',
    ],
    [
      'limit: 60,',
      'limit: 601,',
      'it is more than 10 times larger, so the guard rejects it unless the file accepts it',
    ],
    [
      'limit: 600,',
      'limit: 59,',
      'it is more than 10 times smaller, so the guard rejects it unless the file accepts it',
    ],
    ['version: 1', 'version: 1\nenforcement: shadow', 'no request is refused any more'],
    ['header: x-api-key', 'header: x-token', 'it forgets all that was counted by this key'],
    ['  api:\n', '  api:\n    enforce: 0\n', 'requests of some keys, or of all, are refused no more'],
    ['  api:\n', '  api:\n    enforce: mark\n', 'requests of some keys, or of all, are refused no more'],
    [
      '  api:\n',
      '  api:\n    rollout: [{ from: 2030-01-01T00:00:00Z, enforce: 5% }]\n',
      'requests of some keys, or of all, are refused no more',
    ],
  ])('ends with 1 for a risk: %s becomes %s', async (from, to, risk) => {
    const { exitCode, out } = await diff(from, to);
    expect(exitCode).toBe(1);
    expect(out).toContain(`\n  risk: ${risk}\n`);
    const { changes } = JSON.parse((await diff(from, to, '--json')).out);
    expect(changes[0]).toMatchObject({ path: expect.any(String), sentence: expect.any(String), risk });
  });

  const ONE = 'version: 1\npolicies: { api: { limits: [{ name: m, limit: 10, window: 1m }] } }\n';

  it.each([
    [
      'a rollout where nothing was enforced',
      '{ api: {',
      '{ api: { enforce: 0,',
      '{ api: { rollout: [{ from: 2030-01-01T00:00:00Z, enforce: 5% }],',
    ],
    ['a larger share', '{ api: {', '{ api: { enforce: 5%,', '{ api: { enforce: 50%,'],
  ])('ends with 0 for %s', async (_, place, old, next) => {
    const before = join(folder, 'before.yaml');
    writeFileSync(before, ONE.replace(place, old));
    const { exitCode, out } = await sluice(['diff', before, '-'], { stdin: ONE.replace(place, next) });
    expect([exitCode, out]).toEqual([0, expect.not.stringContaining('risk')]);
  });

  it('ends with 1 for what only the guard of a running service would reject, and says it', async () => {
    const before = join(folder, 'before.yaml');
    writeFileSync(before, ONE);
    const next = { stdin: ONE.replace('limit: 10, window: 1m', 'limit: 100, window: 6s') };
    const { exitCode, out } = await sluice(['diff', before, '-'], next);
    expect(exitCode).toBe(1);
    const suspicion = 'Policy api, limit m: it admits at most 1,440,000 units in a day instead of 14,400 units.';
    expect(out).toContain(`${suspicion}\n  risk: the guard rejects this file unless it accepts the change\n`);
    expect(JSON.parse((await sluice(['diff', before, '-', '--json'], next)).out).suspicions).toEqual([suspicion]);
  });
});
