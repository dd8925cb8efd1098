import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const SERVERS = ['redis-server', 'valkey-server'];

/** What `docker` is told to run a server in a container of its own. */
export const COMPOSE_RUN = ['compose', '--file', join(__dirname, '../../../docker-compose.yml'), 'run', '--rm', '-T'];

/** The service of `docker-compose.yml` whose command is a server's arguments. */
export const SERVICE = 'redis-server';

/** How Jest's processes learn what was found before any test; empty when nothing was. */
const FOUND = 'SLUICE_TEST_REDIS';

const INSTALLERS = {
  'apt-get':
    'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server',
  apk: 'apk add --no-cache redis',
} as const;

/** What a person has to enter, by the package manager that is there. */
const HELP = {
  'apt-get': 'sudo apt-get install redis-server',
  apk: 'sudo apk add redis',
  dnf: 'sudo dnf install valkey',
  brew: 'brew install redis',
} as const;

/**
 * The path of what starts the servers of the tests: a server program, or `docker`.
 *
 * @throws Error with the command that helps
 */
export function redisProgram(): string {
  process.env[FOUND] ??= findProgram();
  if (process.env[FOUND]) return process.env[FOUND];
  const help = HELP[firstOnPath(HELP) ?? 'apt-get'];
  throw new Error(`The tests need redis-server or valkey-server on the PATH, or Docker. This installs it: ${help}`);
}

/** Jest calls this before any test, since installing takes longer than a test may, and must be done once. */
export default function findRedis(): void {
  process.env[FOUND] ??= findProgram();
}

function findProgram(): string {
  return onPath(SERVERS) ?? installed() ?? composed() ?? '';
}

/** A server program, installed where this is a container or a CI machine: root, with a package manager. */
function installed(): string | undefined {
  const manager = firstOnPath(INSTALLERS);
  if (manager === undefined || process.getuid?.() !== 0) return undefined;
  process.stderr.write(`Installing redis-server for the tests: ${INSTALLERS[manager]}\n`);
  // A package that starts a service would leave a server behind that nobody asked for.
  succeeds('sh', ['-c', INSTALLERS[manager]], { ...process.env, RUNLEVEL: '1' });
  return onPath(SERVERS);
}

/** `docker`, where it can run a server; the image is there afterwards. */
function composed(): string | undefined {
  const docker = onPath(['docker']);
  if (docker === undefined || !succeeds(docker, [...COMPOSE_RUN, SERVICE, '--version'])) return undefined;
  process.stderr.write('Running the Redis servers of the tests through docker compose\n');
  return docker;
}

function succeeds(program: string, args: readonly string[], env = process.env): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', env });
    return true;
  } catch {
    return false;
  }
}

function firstOnPath<Name extends string>(table: Readonly<Record<Name, string>>): Name | undefined {
  return (Object.keys(table) as Name[]).find((name) => onPath([name]));
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
