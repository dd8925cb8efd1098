import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readPolicyFile } from '@sluice/config';
import fc from 'fast-check';
import { sluice } from '../test-io.js';

/** Text that could end a comment, or be taken for YAML. */
const text = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r\n# x',
    'a: b',
    '\u2028policies: {}',
    '- x',
    '# y',
    '{ a: 1 }',
    '"',
    "'",
    '&a',
    '*a',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const quoted = text.map((own) => `"${own.replaceAll(/["\\]/g, '\\$&')}"`);
const word = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9_.@é-]{1,9}$/), quoted);
const key = fc.constantFrom(
  '$binary_remote_addr',
  '$http_x_api_key',
  '$server_name',
  '$host$uri',
  '$mapped',
  '$http_',
  '$é',
);
const burst = fc.constantFrom('', ' burst=3', ' burst=5 nodelay', ' burst=9 delay=4', ' burst=99999999999999 nodelay');

const nginx = fc
  .record({
    zone: word,
    key,
    rate: fc.constantFrom('10r/s', '7r/m', '1r/m', '0r/s', '5'),
    burst,
    location: word,
    sign: fc.constantFrom('', '= ', '^~ ', '~ ', '/', '= /'),
    server: word,
    cases: fc.array(fc.tuple(quoted, fc.constantFrom('""', '$binary_remote_addr', '$http_x_api_key', 'x'))),
    source: fc.constantFrom('$http_x_api_key', '$mapped', '$remote_addr', '$uri'),
  })
  .map(
    ({ zone, key, rate, burst, location, sign, server, cases, source }) => `http {
      map ${source} $mapped { default $http_x_api_key; ${cases.map((pair) => `${pair.join(' ')};`).join(' ')} }
      limit_req_zone ${key} "zone=${zone.replaceAll('"', '')}:1m" rate=${rate};
      limit_req_zone $remote_addr zone=sound:1m rate=1r/s;
      server { server_name ${server}; location ${sign}${location} {
        limit_req "zone=${zone.replaceAll('"', '')}"${burst};
        limit_req zone=sound; } }
    }`,
  );

const kong = fc
  .record({ service: text, route: text, consumer: text, header: text, path: text, message: text, limit: fc.anything() })
  .map(({ service, route, consumer, header, path, message, limit }) =>
    JSON.stringify({
      _format_version: '3.0',
      services: [
        {
          name: service,
          routes: [{ name: route, paths: [path, '/a'], methods: ['get'] }],
          plugins: [
            {
              name: 'rate-limiting',
              config: { minute: 5, hour: limit, limit_by: 'header', header_name: header, error_message: message },
            },
          ],
        },
      ],
      consumers: [{ username: consumer, plugins: [{ name: 'rate-limiting', route, config: { minute: 7 } }] }],
    }),
  );

const ratelimit = fc.record({ domain: text, one: text, other: text, name: text }).map(({ domain, one, other, name }) =>
  JSON.stringify({
    domain,
    descriptors: [
      { key: one, rate_limit: { unit: 'minute', requests_per_unit: 5, name } },
      { key: one, value: other, rate_limit: { unit: 'minute', requests_per_unit: 6 } },
      { key: 'path', value: other, rate_limit: { unit: 'year', requests_per_unit: 0 } },
    ],
  }),
);

const RUNS = { numRuns: Number(process.env.SLUICE_RUNS ?? 10) };

describe('sluice from', () => {
  it.each([
    ['nginx', nginx],
    ['kong', kong],
    ['ratelimit', ratelimit],
  ])('makes a valid policy file of any configuration of %s, whatever its names are', async (format, configurations) => {
    await fc.assert(
      fc.asyncProperty(configurations, async (configuration) => {
        const { out, err, exitCode } = await sluice(['from', '-', '--format', format], { stdin: configuration });
        // A zone that is not valid may be the only one.
        if (exitCode === 3) return expect(err).toMatch(/^error: <stdin>/);
        expect(readPolicyFile(out).mistakes?.map(({ message }) => message)).toBeUndefined();
        expect(out).toMatch(/^# yaml-language-server: .*\n# Converted from /);
      }),
      RUNS,
    );
  });

  const bomb = Array.from({ length: 20 }, (_, i) => {
    const aliases = Array.from({ length: 9 }, () => `{ key: k, descriptors: *a${i} }`).join(', ');
    return `a${i + 1}: &a${i + 1} [${aliases}]`;
  }).join('\n');

  it.each([
    ['an empty text', '', 'it is empty'],
    ['a text that is something else', 'hello: world', 'is no configuration of nginx'],
    [
      'a policy file',
      'version: 1\npolicies: { api: { limits: [{ limit: 1, window: 1m }] } }',
      'is no configuration of nginx',
    ],
    ['an nginx without limits', 'http { server { listen 80; } }', 'has no limit that can be converted'],
    ['a broken nginx', 'http {\n limit_req zone=a', '<stdin>:2 limit_req has no ; at its end'],
    ['broken YAML', '_format_version: "3.0\nservices: []', '<stdin>:'],
    ['aliases that stand for billions', `a0: &a0 []\n${bomb}\ndomain: x\ndescriptors: *a20`, 'aliases in all'],
    ['an alias of itself', 'domain: x\ndescriptors: &d [{ key: a, descriptors: *d }]', 'has no limit'],
    ['bytes', '\u0000\u0001\u0002', '<stdin>'],
  ])('refuses %s, and says why', async (_, configuration, message) => {
    const { err, exitCode, out } = await sluice(['from', '-'], { stdin: configuration });
    expect({ err, exitCode, out }).toEqual({ err: expect.stringContaining(message), exitCode: 3, out: '' });
    expect(err).not.toContain('    at ');
  });

  it('says that a variable depends on itself', async () => {
    const loop = `http { map $a $b { default $c; } map $b $a { x y; } map $a $c { x y; }
      limit_req_zone $a zone=z:1m rate=1r/s; server { limit_req zone=z; } }`;
    const { out } = await sluice(['from', '-'], { stdin: loop });
    expect(out.replaceAll(/\n *# {2}/g, ' ')).toContain('depends on itself');
    expect(readPolicyFile(out).mistakes).toBeUndefined();
  });

  describe('with files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-from-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };

    it('ends if files include themselves', async () => {
      file('a.inc', 'include *.inc;');
      file('b.inc', 'include *.inc;');
      const { err, exitCode } = await sluice(['from', file('nginx.conf', 'http { include *.inc; }')]);
      expect(exitCode).toBe(3);
      expect(err).toMatch(/include each other|files are included/);
    });

    it('writes the file that it is told to, and says what it found', async () => {
      const source = file(
        'one.conf',
        'limit_req_zone $server_name zone=z:1m rate=1r/s;\nlimit_req_status 429;\nserver { limit_req zone=z; }',
      );
      const target = join(folder, 'sluice.yaml');
      expect(await sluice(['from', source, '--output', target])).toEqual({
        exitCode: 0,
        out: '',
        err: 'nginx: 1 policy with 1 limit. Everything was converted.\n',
      });
      const { out } = await sluice(['from', source, '--json']);
      const { policyFile, notes } = JSON.parse(out);
      expect(readPolicyFile(policyFile).file?.policies.size).toBe(1);
      expect(notes).toContainEqual({ kind: 'from', text: `limit_req zone=z (${source}:3), rate=1r/s (${source}:1)` });
      expect((await sluice(['from', source, '--output', join(folder, 'no/such/folder')])).exitCode).toBe(3);
    });

    it('says which file is missing', async () => {
      const main =
        'http { include missing.conf; limit_req_zone $server_name zone=z:1m rate=1r/s; server { limit_req zone=z; } }';
      const { out, exitCode } = await sluice(['from', file('two.conf', main)]);
      expect(out).toContain('left out: include missing.conf;');
      expect(exitCode).toBe(1);
    });
  });
});
