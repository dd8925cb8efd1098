import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../find-program.js';

/**
 * The Debian packages that have each program. Pages are drawn with fonts, which Chromium does not bring. `python3-grpcio` is a
 * Python that has the library.
 */
const PACKAGES = {
  prometheus: ['prometheus'],
  promtool: ['prometheus'],
  'prometheus-alertmanager': ['prometheus-alertmanager'],
  amtool: ['prometheus-alertmanager'],
  nginx: ['nginx'],
  haproxy: ['haproxy'],
  caddy: ['caddy'],
  h2load: ['nghttp2-client'],
  mariadbd: ['mariadb-server-core'],
  protoc: ['protobuf-compiler'],
  'python3-grpcio': ['python3-grpcio', 'python3-protobuf'],
  'chromium-headless-shell': ['chromium-headless-shell', 'fonts-dejavu-core'],
} as const satisfies Record<string, readonly string[]>;

/** A program that the tests start and Debian has. */
export type DebianProgram = keyof typeof PACKAGES;

/** A person sets it to `off`, and nothing is installed. */
const INSTALL = 'SLUICE_TEST_INSTALL';

/** Where Debian keeps servers. It is not on everybody's PATH. */
const SERVERS = '/usr/sbin';

/** Test files run in several processes. One of them installs, and the others wait and find what it installed. */
const LOCK = join(tmpdir(), 'sluice-test-install.lock');

/** A package that starts a service would leave a server behind that nobody asked for, and nobody answers questions. */
const QUIETLY = { RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };

/** How to find programs on this machine, and what the tests may do there. */
export interface Machine {
  /** The path of a program by its name; undefined where there is none that can be run. */
  readonly find: (program: string) => string | undefined;
  readonly isRoot: boolean;
}

/** How to get a program. */
export type Choice = { readonly use: string } | { readonly install: string } | { readonly fail: string };

/**
 * Chooses how to have a program.
 *
 * @param wanted - `off`, or nothing, which allows to install.
 */
export function choiceOf(program: DebianProgram, wanted: string | undefined, { find, isRoot }: Machine): Choice {
  const path = find(program);
  if (path) return { use: path };
  const packages = PACKAGES[program].join(' ');
  if (wanted !== 'off' && isRoot && find('apt-get') && find('flock'))
    return { install: installerOf(program, packages) };
  const missing = `This test needs ${program} on the PATH.`;
  return { fail: `${missing} On Debian this installs it: sudo apt-get install --no-install-recommends ${packages}` };
}

/** Whoever waited for the lock looks again before it installs. */
function installerOf(program: DebianProgram, packages: string): string {
  const install = `apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends ${packages}`;
  return `command -v ${program} || { apt-get update -qq && ${install}; }`;
}

/**
 * Returns the path of a program. Installs it where this is a container or a CI machine: root, with apt. Call it where a test
 * file is loaded, since installing takes longer than a test may:
 *
 * @example const NGINX = debianProgram('nginx');
 * @throws Error with what helps
 */
export function debianProgram(program: DebianProgram): string {
  const wanted = process.env[INSTALL];
  const isRoot = process.getuid?.() === 0;
  let choice = choiceOf(program, wanted, { find, isRoot });
  if ('install' in choice) {
    install(program, choice.install);
    choice = choiceOf(program, wanted, { find, isRoot: false });
  }
  if ('use' in choice) return choice.use;
  throw new Error('fail' in choice ? choice.fail : `${program} could not be installed`);
}

const find = (program: string): string | undefined =>
  program === 'python3-grpcio' ? pythonWithGrpc() : (findProgram(program) ?? findProgram(join(SERVERS, program)));

/** Debian's own Python, which has Debian's libraries; undefined if it lacks those of gRPC. */
function pythonWithGrpc(): string | undefined {
  const python = '/usr/bin/python3';
  try {
    execFileSync(python, ['-c', 'import grpc, google.protobuf'], { stdio: 'ignore' });
    return python;
  } catch {
    return undefined;
  }
}

function install(program: DebianProgram, command: string): void {
  process.stderr.write(`Installing ${program} for the tests (${INSTALL}=off prevents it): ${command}\n`);
  try {
    const env = { ...process.env, ...QUIETLY };
    execFileSync('flock', [LOCK, 'sh', '-c', command], { stdio: 'ignore', env });
  } catch {
    // If it is still missing, the test says so.
  }
}
