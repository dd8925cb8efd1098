import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Choice, choiceOf, type DebianProgram, debianProgram } from '@sluice/test-kit/debian/debian-program';
import { findProgram } from '@sluice/test-kit/find-program';

const { PATH, SLUICE_TEST_INSTALL } = process.env;
const FLOCK = findProgram('flock');

/** Everything on the path. */
let bin: string;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'sluice-bin-'));
  process.env.PATH = bin;
  delete process.env.SLUICE_TEST_INSTALL;
});

afterEach(() => {
  jest.restoreAllMocks();
  process.env.PATH = PATH;
  if (SLUICE_TEST_INSTALL !== undefined) process.env.SLUICE_TEST_INSTALL = SLUICE_TEST_INSTALL;
  rmSync(bin, { recursive: true });
});

function put(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** An apt that installs `amtool` slowly, and writes down what it was told. */
const APT = `echo "$RUNLEVEL $DEBIAN_FRONTEND $*" >> "$PATH/calls"
if [ "$1" = update ]; then exit; fi
/bin/sleep 0.2
: > "$PATH/amtool" && /bin/chmod +x "$PATH/amtool"`;

const CALLS = [
  '1 noninteractive update -qq',
  '1 noninteractive -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends prometheus-alertmanager',
];

const calls = (): string[] => readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n');

function userIs(id: number): void {
  jest.spyOn(process as Required<typeof process>, 'getuid').mockReturnValue(id);
}

describe('A test that needs a program of Debian', () => {
  it('uses the program on the path', () => {
    put('nginx', '');
    put('apt-get', 'exit 1');
    expect(debianProgram('nginx')).toBe(join(bin, 'nginx'));
  });

  const itWithLocks = FLOCK === undefined ? it.skip : it;

  itWithLocks('installs it when it runs as root, starts no service, and says so in one line before', () => {
    symlinkSync('/bin/sh', join(bin, 'sh'));
    symlinkSync(FLOCK as string, join(bin, 'flock'));
    put('apt-get', APT);
    userIs(0);
    const written = jest.spyOn(process.stderr, 'write').mockImplementation(() => {
      expect(existsSync(join(bin, 'amtool'))).toBe(false);
      return true;
    });
    expect(debianProgram('amtool')).toBe(join(bin, 'amtool'));
    expect(debianProgram('amtool')).toBe(join(bin, 'amtool'));
    expect(calls()).toEqual(CALLS);
    const line = /^Installing amtool for the tests \(SLUICE_TEST_INSTALL=off prevents it\): .+\n$/;
    expect(written.mock.calls).toEqual([[expect.stringMatching(line)]]);
  });

  itWithLocks('installs it once when several processes need it at the same time', async () => {
    symlinkSync('/bin/sh', join(bin, 'sh'));
    symlinkSync(FLOCK as string, join(bin, 'flock'));
    put('apt-get', APT);
    const choice = choiceOf('amtool', undefined, { find: findNot('amtool'), isRoot: true });
    const command = 'install' in choice ? choice.install : '';
    const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
    const three = [1, 2, 3].map(() => spawn('flock', [join(bin, 'lock'), 'sh', '-c', command], { env }));
    const codes = await Promise.all(three.map((child) => once(child, 'exit')));
    expect(codes.map(([code]) => code)).toEqual([0, 0, 0]);
    expect(calls()).toEqual(CALLS);
  });

  itWithLocks('fails with the command that helps if it could not be installed', () => {
    symlinkSync('/bin/sh', join(bin, 'sh'));
    symlinkSync(FLOCK as string, join(bin, 'flock'));
    put('apt-get', 'exit 100');
    userIs(0);
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(() => debianProgram('amtool')).toThrow('installs it: sudo apt-get install');
  });

  it('installs nothing where SLUICE_TEST_INSTALL is off', () => {
    put('apt-get', APT);
    put('flock', '');
    userIs(0);
    process.env.SLUICE_TEST_INSTALL = 'off';
    expect(() => debianProgram('amtool')).toThrow('This test needs amtool on the PATH');
    expect(existsSync(join(bin, 'calls'))).toBe(false);
  });
});

function findNot(missing: string): (program: string) => string | undefined {
  return (program) => (program === missing ? undefined : `/bin/${program}`);
}

describe('The choice of a program', () => {
  const fails = (program: string, packages: string): Choice => ({
    fail: `This test needs ${program} on the PATH. On Debian this installs it: sudo apt-get install --no-install-recommends ${packages}`,
  });

  it.each<[program: DebianProgram, wanted: string | undefined, there: string, user: 'root' | 'user', choice: Choice]>([
    ['prometheus', undefined, 'prometheus apt-get flock', 'root', { use: '/bin/prometheus' }],
    ['prometheus', 'off', 'prometheus', 'user', { use: '/bin/prometheus' }],
    ['promtool', undefined, 'apt-get flock', 'root', { install: expect.stringMatching(/ prometheus; }$/) as never }],
    ['promtool', undefined, 'apt-get flock', 'user', fails('promtool', 'prometheus')],
    ['promtool', undefined, 'apt-get', 'root', fails('promtool', 'prometheus')],
    ['promtool', 'off', 'apt-get flock', 'root', fails('promtool', 'prometheus')],
    [
      'chromium-headless-shell',
      undefined,
      '',
      'root',
      fails('chromium-headless-shell', 'chromium-headless-shell fonts-dejavu-core'),
    ],
  ])('of %s, where SLUICE_TEST_INSTALL is %j, with %j for the %s', (program, wanted, there, user, choice) => {
    const find = (name: string) => (there.split(' ').includes(name) ? `/bin/${name}` : undefined);
    expect(choiceOf(program, wanted, { find, isRoot: user === 'root' })).toEqual(choice);
  });
});
