import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCommandLine } from '../../src/program/options/command-line.js';
import { type Environment, readOptions } from '../../src/program/options/read-options.js';
import { DEFAULT_OPTIONS } from '../../src/program/options/server-options.js';

const SECRET = 'f0b2a7c6d1e84935b6a7c8d9e0f10213';
const OTHER = '00112233445566778899aabbccddeeff';

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-options-'));
  writeFileSync(path('two'), `${SECRET}\n\n${OTHER}\r\n`);
  writeFileSync(path('empty'), '\n');
  writeFileSync(path('short'), `${SECRET}\nsesame\n`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (args: readonly string[], env: Environment = {}) => readOptions(readCommandLine(args), env);

async function messagesOf(args: readonly string[], env: Environment = {}): Promise<string[]> {
  return (await read(args, env)).mistakes.map(({ exitCode, message }) => `${exitCode} ${message}`);
}

describe('the options of the program', () => {
  it('are the defaults if only the file is given', async () => {
    expect((await read(['sluice.yaml'])).options).toEqual({ ...DEFAULT_OPTIONS, file: 'sluice.yaml' });
  });

  it('come from flags', async () => {
    const args = ['--host', '::1', '--port=0', '--grpc-port', '9001', '--admin-host', 'localhost', '--admin-port', '0'];
    const more = [
      '--store',
      'redis://u:p@h:6380/2',
      '--store-prefix',
      'a:',
      '--store-timeout',
      '20ms',
      '--instances',
      '3',
    ];
    const most = ['--store-required', 'sluice.yaml', '--trusted-proxies', '10.0.0.0/8,192.0.2.7', '--address-field'];
    const rest = ['CF-Connecting-IP', '--audit', 'audit.log', '--drain-delay', '0s', '--drain-deadline', '3000'];
    const last = [
      '--grpc-connection-age',
      '1h',
      '--log-level',
      'warn',
      '--admin-names',
      'admin.example',
      '--secret-file',
      path('two'),
    ];
    const { options, mistakes } = await read([...args, ...more, ...most, ...rest, ...last]);
    expect(mistakes).toEqual([]);
    expect(options).toEqual({
      file: 'sluice.yaml',
      host: '::1',
      port: 0,
      grpcPort: 9001,
      grpcConnectionAgeMs: 3_600_000,
      adminHost: 'localhost',
      adminPort: 0,
      adminNames: ['admin.example'],
      store: {
        address: { kind: 'redis', place: 'redis://u:p@h:6380/2' },
        prefix: 'a:',
        timeoutMs: 20,
        instances: 3,
        isRequired: true,
      },
      maxKeys: 100_000,
      secrets: [SECRET, OTHER],
      callTokens: [],
      readTokens: [],
      writeTokens: [],
      trustedProxies: ['10.0.0.0/8', '192.0.2.7'],
      addressField: 'cf-connecting-ip',
      auditFile: 'audit.log',
      drainDelayMs: 0,
      drainDeadlineMs: 3000,
      logLevel: 'warn',
    });
  });

  it('come from the environment, where a flag does not say otherwise', async () => {
    const env = {
      SLUICE_FILE: 'a.yaml',
      SLUICE_PORT: '1',
      SLUICE_GRPC_PORT: '2',
      SLUICE_HOST: '',
      SLUICE_STORE: 'sqlite:limits.db',
    };
    const secrets = { SLUICE_SECRET: `${SECRET}\n${OTHER}`, SLUICE_CALL_TOKEN: OTHER, SLUICE_STORE_REQUIRED: 'false' };
    const { options } = await read(['--port', '3'], { ...env, ...secrets });
    expect(options).toMatchObject({ file: 'a.yaml', port: 3, grpcPort: 2, host: '127.0.0.1', callTokens: [OTHER] });
    expect(options).toMatchObject({
      secrets: [SECRET, OTHER],
      store: { address: { kind: 'sqlite', place: 'limits.db' }, timeoutMs: 50, isRequired: false },
    });
  });

  it('are not what Kubernetes tells of a Service that has the name of the program', async () => {
    const env = {
      SLUICE_PORT: 'tcp://10.96.0.7:8080',
      SLUICE_PORT_8080_TCP: 'tcp://10.96.0.7:8080',
      SLUICE_GRPC_PORT: 'tcp://10.96.0.8:8081',
      SLUICE_ADMIN_PORT: 'udp://[fd00::7]:8082',
    };
    expect((await read(['a.yaml'], env)).options).toEqual({ ...DEFAULT_OPTIONS, file: 'a.yaml' });
    expect(await messagesOf(['a.yaml', '--port', 'tcp://10.96.0.7:8080'])).toEqual([
      expect.stringMatching(/^2 --port must be a whole number/),
    ]);
  });

  it('lack nothing that they need in several instances, or beyond loopback', async () => {
    expect(await messagesOf(['a.yaml', '--store', 'redis://h'])).toEqual([
      expect.stringMatching(/^2 --store needs --secret-file or SLUICE_SECRET, .*\(SLUICE_OPTION\)$/),
    ]);
    for (const host of ['0.0.0.0', '::', '10.1.2.3', 'example.com']) {
      expect(await messagesOf(['a.yaml', '--host', host])).toEqual([
        expect.stringMatching(/^2 --host \S+ is beyond loopback, .*\(SLUICE_OPTION\)$/),
      ]);
    }
    expect(await messagesOf(['a.yaml', '--host', '0.0.0.0', '--trusted-proxies', '10.0.0.0/8'])).toEqual([]);
    expect(await messagesOf(['a.yaml', '--host', '0.0.0.0'], { SLUICE_CALL_TOKEN: OTHER })).toEqual([]);
    expect(await messagesOf(['a.yaml', '--host', '127.8.8.8'])).toEqual([]);
  });

  it.each<[what: string, args: readonly string[], message: RegExp]>([
    ['a port', ['--port', '65536'], /^2 --port must be a whole number from 0 to 65535, got "65536" \(SLUICE_OPTION\)$/],
    ['a port of text', ['--port', '1e3'], /^2 --port must be/],
    ['a value', ['--port'], /^2 --port needs a value: --port <port> \(SLUICE_OPTION\)$/],
    ['an empty value', ['--host='], /^2 --host needs a value/],
    ['a host', ['--host', 'http://x'], /^2 --host must be an address/],
    ['a duration', ['--drain-delay', '5x'], /^2 --drain-delay must be a duration/],
    ['an age', ['--grpc-connection-age', '2d'], /^2 --grpc-connection-age must be at most 1d, got "2d"/],
    [
      'two ports',
      ['--admin-port', '8080'],
      /^2 --admin-port must not be the same as --port, got 8080 \(SLUICE_OPTION\)$/,
    ],
    ['a timeout', ['--store-timeout', '30d'], /^2 --store-timeout must be at most 214748364 ms \(2 days\)/],
    ['a deadline', ['--drain-deadline', '0'], /^2 --drain-deadline must be a duration of at least 1 ms/],
    ['a range', ['--trusted-proxies', '10.0.0.0/33'], /^2 --trusted-proxies\[0\] must be an address or a CIDR range/],
    ['no range', ['--trusted-proxies', ','], /^2 --trusted-proxies must be addresses/],
    ['a field', ['--address-field', 'X Real'], /^2 --address-field must be the name of a header field/],
    ['a level', ['--log-level', 'loud'], /^2 --log-level must be one of trace, debug, .*got "loud"/],
    ['a count', ['--instances', '0'], /^2 --instances must be a whole number from 1/],
    ['keys', ['--max-keys', '16000001'], /^2 --max-keys must be a whole number from 1 to 16000000, got "16000001"/],
    ['a flag of stores alone', ['--instances', '2'], /^2 --instances means nothing without --store/],
    [
      'a file without its flag',
      ['sqlite:limits.db'],
      /^2 only one policy file is read, got "sqlite:limits.db" as well/,
    ],
    ['an unknown flag', ['--prot', '80'], /^2 --prot is not a flag: the flags are --host, --port, /],
    [
      'a switch with a value',
      ['--store-required=true'],
      /^2 --store-required takes no value: write --store-required alone/,
    ],
    ['a second file', ['b.yaml'], /^2 only one policy file is read, got "b.yaml" as well/],
    ['a file of secrets', ['--secret-file', 'no-such-file'], /^3 --secret-file: no-such-file cannot be read: ENOENT/],
  ])('tell what is wrong with %s', async (_, args, message) => {
    expect(await messagesOf(['a.yaml', ...args])).toEqual([expect.stringMatching(message)]);
  });

  it('tell everything that is wrong at once', async () => {
    const args = ['--port', 'x', '--nope', '--drain-delay', '--call-token-file', path('empty')];
    const messages = await messagesOf([...args, '--host', '0.0.0.0'], {
      SLUICE_GRPC_PORT: '-1',
      SLUICE_INSTANCES: 'two',
    });
    expect(messages.map((message) => message.split(' ').slice(0, 3).join(' '))).toEqual([
      '2 --nope is',
      '2 the policy',
      '2 --port must',
      '2 SLUICE_GRPC_PORT must',
      '2 SLUICE_INSTANCES must',
      '2 --drain-delay needs',
      `3 ${path('empty')} is`,
    ]);
  });

  it('never show a secret', async () => {
    const env = {
      SLUICE_SECRET: 'sesame',
      SLUICE_READ_TOKEN: `${SECRET}\nopen sesame, and more`,
      SLUICE_STORE: 'http://u:sesame@h',
    };
    const messages = await messagesOf(['a.yaml', '--write-token-file', path('short')], env);
    expect(messages).toEqual([
      expect.stringMatching(
        /^2 SLUICE_STORE must begin with one of redis:, rediss:, postgres:, postgresql:, sqlite: \(SLUICE_OPTION\)$/,
      ),
      expect.stringMatching(/^2 line 1 of SLUICE_SECRET must have at least 16 characters, and has 6/),
      expect.stringMatching(/^2 line 2 of SLUICE_READ_TOKEN must have printable ASCII characters only/),
      expect.stringMatching(/^3 line 2 of \S+short must have at least 16 characters/),
    ]);
    expect(messages.join()).not.toContain('sesame');
    expect(await messagesOf(['a.yaml', '--secret-file', path('two')], { SLUICE_SECRET: SECRET })).toEqual([
      expect.stringMatching(/^2 --secret-file and SLUICE_SECRET must not both be set/),
    ]);
  });
});

describe('the address of a store', () => {
  const env = { SLUICE_SECRET: SECRET };

  it.each<[address: string, kind: string, place: string]>([
    ['redis://h', 'redis', 'redis://h'],
    ['rediss://u:p%40ss@h:6380/2', 'redis', 'rediss://u:p%40ss@h:6380/2'],
    ['postgres://u:p@h:5432/d?sslmode=verify-full', 'postgres', 'postgres://u:p@h:5432/d?sslmode=verify-full'],
    ['postgresql://h', 'postgres', 'postgresql://h'],
    ['postgres:///d?host=/run/postgresql', 'postgres', 'postgres:///d?host=/run/postgresql'],
    ['sqlite:limits.db', 'sqlite', 'limits.db'],
    ['sqlite:/var/lib/limits.db', 'sqlite', '/var/lib/limits.db'],
    ['sqlite:///var/lib/limits.db', 'sqlite', '/var/lib/limits.db'],
    ['sqlite:a%20b:c.db', 'sqlite', 'a%20b:c.db'],
  ])('is read: %s', async (address, kind, place) => {
    const { options } = await read(['a.yaml', '--store', address], env);
    expect(options?.store?.address).toEqual({ kind, place });
  });

  it.each<[address: string, rule: string]>([
    ['redis://:sesame@h/name', 'be an address like redis://host:6379, with'],
    ['redis:sesame', 'be an address like redis://host:6379, with'],
    ['postgres://u:se%same@h/d', 'be an address like postgres://user:password@host:5432/database'],
    ['postgres://u:sesame#@h/d', 'be an address like postgres://user:password@host:5432/database'],
    ['postgres:///sesame', 'be an address like postgres://user:password@host:5432/database'],
    ['sqlite://sesame', 'be sqlite: and the path of a file, like sqlite:limits.db or sqlite:///var/'],
    ['sqlite:', 'be sqlite: and the path of a file'],
    ['sqlite::memory:', 'be sqlite: and the path of a file'],
    ['sqlite:sesame.db?mode=ro', 'be sqlite: and the path of a file'],
    ['mysql://u:sesame@h/d', 'begin with one of redis:, rediss:, postgres:, postgresql:, sqlite:'],
    ['sesame', 'begin with one of redis:, rediss:, postgres:, postgresql:, sqlite:'],
  ])('is not repeated if it is wrong: %s', async (address, rule) => {
    const messages = await messagesOf(['a.yaml', '--store', address], env);
    expect(messages).toEqual([expect.stringContaining(`2 --store must ${rule}`)]);
    expect(messages.join()).not.toContain('sesame');
  });

  it('needs its flag, and is not repeated without it', async () => {
    const url = 'redis://:sesame@h';
    expect(await messagesOf(['a.yaml', url])).toEqual([
      '2 the address of a store needs its flag: --store <url> (SLUICE_OPTION)',
    ]);
    expect(await messagesOf(['--redis', url, 'a.yaml'])).toEqual(['2 --redis is now --store (SLUICE_OPTION)']);
    expect(await messagesOf([`--redis=${url}`, 'a.yaml'])).toEqual(['2 --redis is now --store (SLUICE_OPTION)']);
    expect(await messagesOf([`--stor=${url}`, 'a.yaml'])).toEqual([expect.stringMatching(/^2 --stor is not a flag: /)]);
  });

  it('was the variable SLUICE_REDIS before, which is a mistake now', async () => {
    expect(await messagesOf(['a.yaml'], { SLUICE_REDIS: 'redis://:sesame@h', SLUICE_REDIS_TIMEOUT: '1s' })).toEqual([
      '2 SLUICE_REDIS is now SLUICE_STORE (SLUICE_OPTION)',
      '2 SLUICE_REDIS_TIMEOUT is now SLUICE_STORE_TIMEOUT (SLUICE_OPTION)',
    ]);
  });

  it.each<[address: string, flags: readonly string[], messages: readonly RegExp[]]>([
    ['redis://h', ['--max-keys', '9'], [/^2 --max-keys means nothing with --store/]],
    ['sqlite:a.db', ['--max-keys', '9'], [/^2 --max-keys means nothing with --store/]],
    ['sqlite:a.db', ['--store-prefix', 'a:'], [/^2 --store-prefix is of Redis alone: remove it/]],
    ['postgres://h', ['--store-prefix', 'a:'], [/^2 --store-prefix is of Redis alone: remove it/]],
    ['postgres://h', ['--store-required', '--store-timeout', '1s', '--instances', '2'], []],
  ])('%s takes only flags that mean something with it: %j', async (address, flags, messages) => {
    const found = await messagesOf(['a.yaml', '--store', address, ...flags], env);
    expect(found).toEqual(messages.map((message) => expect.stringMatching(message)));
  });
});

describe('help', () => {
  it('is asked for, and then nothing else is read', () => {
    expect(readCommandLine(['--help', '--port']).asked).toContain('Usage: sluice-server [options] <file>');
    expect(readCommandLine(['--version']).asked).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(readCommandLine(['a.yaml']).asked).toBeUndefined();
  });
});
