import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['redis-server', 'valkey-server'];

let program: string | undefined;

/**
 * The server program of this machine. Where there is none and this is a container or a CI machine (root, with a package manager), it is
 * installed; otherwise the suites fail with the command that helps.
 */
export function redisProgram(): string {
  program ??= onPath(PROGRAMS) ?? installed();
  return program;
}

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const INSTALLERS = {
  'apt-get':
    'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server',
  apk: 'apk add --no-cache redis',
} as const;

function installed(): string {
  const manager = (Object.keys(INSTALLERS) as (keyof typeof INSTALLERS)[]).find((name) => onPath([name]));
  if (manager === undefined || process.getuid?.() !== 0) {
    throw new Error(
      'The tests need a Redis: put redis-server or valkey-server on the PATH, e.g. sudo apt-get install redis-server',
    );
  }
  process.stderr.write(`Installing redis-server for the tests: ${INSTALLERS[manager]}\n`);
  // A package that starts a service would leave a server behind that nobody asked for.
  execFileSync('sh', ['-c', INSTALLERS[manager]], { stdio: 'ignore', env: { ...process.env, RUNLEVEL: '1' } });
  const found = onPath(PROGRAMS);
  if (!found) throw new Error(`The installation gave no ${PROGRAMS.join(' or ')}: ${INSTALLERS[manager]}`);
  return found;
}

/** Jest calls this before any test, since installing takes longer than a test may, and must be done once. */
export default function installRedis(): void {
  try {
    redisProgram();
  } catch {
    // The suites that need it fail, and say what helps.
  }
}
