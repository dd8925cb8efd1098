import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { findingsText } from '../../src/doctor/findings-text.js';
import { optionalPackage } from '../../src/doctor/optional-package.js';
import { sluice, testIo } from '../test-io.js';

const PAGE = readFileSync(join(__dirname, '../../docs/doctor.md'), 'utf8');

describe('the command line of sluice doctor', () => {
  it.each([
    'localhost:6379',
    'redis:6379',
    'http://app:pass-word@localhost',
    'mysql://app:pass-word@localhost/db',
    'redis://app:pass-word%@localhost',
    'sqlite:',
    'sqlite::memory:',
  ])('refuses %s, and does not repeat it', async (store) => {
    const { exitCode, out, err } = await sluice(['doctor', '--store', store]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain('Write redis://host:6379, postgres://user@host/database or sqlite:limits.db');
    expect(err).not.toContain('pass-word');
  });

  it.each([
    [[], '--store'],
    [['--store', 'sqlite:x', '--table', 'Limits'], '--table'],
    [['--store', 'sqlite:x', '--prefix', 'my app'], '--prefix'],
    [['--store', 'sqlite:x', '--timeout', '0'], '--timeout'],
    [['--store', 'sqlite:x', '--prefix', 'app:'], '--prefix is for Redis: leave it out'],
    [['--store', 'postgres://localhost/db', '--prefix', 'app:'], '--prefix is for Redis: leave it out'],
    [['--store', 'redis://localhost', '--table', 'app'], '--table is for PostgreSQL and SQLite: leave it out'],
  ])('ends with 2 for %j', async (options, name) => {
    const { exitCode, out, err } = await sluice(['doctor', ...options]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain(name);
  });

  it('takes the URL from the standard input', async () => {
    const { exitCode, out } = await sluice(['doctor', '--store', '-'], { stdin: 'sqlite:/no/such/folder/limits.db\n' });
    expect([exitCode, out]).toEqual([1, expect.stringContaining('/no/such/folder cannot be used')]);
  });

  it('says how to install what a store needs', async () => {
    const missing = Promise.reject(Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' }));
    await expect(optionalPackage(missing, 'pg ./sluice-postgres-*.tgz')).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('npm install --save-dev pg ./sluice-postgres-*.tgz'),
    });
    const broken = Promise.reject(new Error('broken'));
    await expect(optionalPackage(broken, 'pg')).rejects.toThrow('broken');
  });
});

describe('what is printed', () => {
  it('is in columns, and not wider than a terminal', () => {
    const findings = [
      { level: 'ok', check: 'role', text: 'It is a primary.' },
      {
        level: 'warn',
        check: 'persistence',
        text: 'A restart forgets all that was spent.',
        remedy: 'Set appendonly yes.',
      },
    ] as const;
    expect(findingsText(findings, testIo().stdout.colors, 50)).toBe(
      [
        'ok    role         It is a primary.',
        'warn  persistence  A restart forgets all that was',
        '                   spent.',
        '                   → Set appendonly yes.',
        '',
      ].join('\n'),
    );
  });

  it('is what the page shows, but for what was measured', async () => {
    const server = await RedisServer.start();
    const { out } = await sluice(['doctor', '--store', `redis://127.0.0.1:${server.port}`]);
    await server.stop();
    const [, shown = ''] = /^```console\n\$ npx --no-install sluice doctor [^\n]*\n([\s\S]*?)^```/m.exec(PAGE) ?? [];
    const withoutFigures = (text: string): string =>
      text
        .replaceAll('localhost', '127.0.0.1')
        .replace(/doctor:\w+:/g, 'doctor:…:')
        .replace(/The clocks? of the server.*/, 'The clock …')
        // A machine that is busy with other tests may be too slow.
        .replace(/^\w+ +(latency .*) The default timeout.*\n(?: +→.*\n)?/m, '$1\n')
        .replace(/\d+(?:\.\d+)*/g, '0');
    expect(withoutFigures(shown)).toBe(withoutFigures(out));
  });
});
