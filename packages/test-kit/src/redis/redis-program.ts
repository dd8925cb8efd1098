import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findProgram as find } from '@sluice/test-kit/find-program';

const SERVERS = ['redis-server', 'valkey-server'];

/** What `docker` is told to run a server in a container of its own. */
export const COMPOSE_RUN = [
  'compose',
  '--file',
  join(__dirname, '../../../../docker-compose.yml'),
  'run',
  '--rm',
  '-T',
];

/** The service of `docker-compose.yml` whose command is a server's arguments. */
export const SERVICE = 'redis-server';

/** Set by a person: `off`, or the path of a server program. */
const WANTED = 'SLUICE_TEST_REDIS';

/** How Jest's processes learn what was found before any test; empty when nothing was. */
const FOUND = 'SLUICE_TEST_REDIS_FOUND';

const INSTALLERS = {
  'apt-get':
    'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server',
  apk: 'apk add --no-cache redis',
} as const;

/** The command for a person to enter, by package manager. */
const HELP = {
  'apt-get': 'sudo apt-get install redis-server',
  apk: 'sudo apk add redis',
  dnf: 'sudo dnf install valkey',
  brew: 'brew install redis',
} as const;

/** How to find programs on this machine, and what the tests may do there. */
export interface Machine {
  /** The path of a program by its name or path; undefined where there is none that can be run. */
  readonly find: (program: string) => string | undefined;
  readonly isRoot: boolean;
}

/** How to get a server program. */
export type Choice =
  | { readonly use: string }
  | { readonly install: keyof typeof INSTALLERS }
  /** The path of `docker`. */
  | { readonly compose: string }
  | { readonly fail: string };

/**
 * Chooses how to have a server program.
 *
 * @param wanted - `off`, the path of a program, or nothing, which leaves the choice to what is there.
 */
export function choiceOf(wanted: string | undefined, machine: Machine): Choice {
  const { find, isRoot } = machine;
  const firstOf = <Name extends string>(names: readonly Name[]) => names.find((name) => find(name) !== undefined);
  if (wanted === 'off')
    return {
      fail: `This test needs a Redis, and ${WANTED} is off: set it to the path of a redis-server or valkey-server, or unset it.`,
    };
  if (wanted) {
    const path = find(wanted);
    return path ? { use: path } : { fail: `${WANTED} has to be off or the path of a server program, and is ${wanted}` };
  }
  const server = firstOf(SERVERS);
  if (server) return { use: find(server) as string };
  const manager = firstOf(keysOf(INSTALLERS));
  if (manager && isRoot) return { install: manager };
  const docker = find('docker');
  if (docker) return { compose: docker };
  const help = HELP[firstOf(keysOf(HELP)) ?? 'apt-get'];
  return { fail: `The tests need redis-server or valkey-server on the PATH, or Docker. This installs it: ${help}` };
}

/**
 * The path of what starts the servers of the tests: a server program, or `docker`.
 *
 * @throws Error with what helps
 */
export function redisProgram(): string {
  const wanted = process.env[WANTED];
  if (!wanted) process.env[FOUND] ??= findServer();
  const found = wanted ? undefined : process.env[FOUND];
  if (found) return found;
  // Nothing is left to try.
  const choice = choiceOf(wanted, {
    find: (program) => (program === 'docker' ? undefined : find(program)),
    isRoot: false,
  });
  if ('use' in choice) return choice.use;
  throw new Error('fail' in choice ? choice.fail : 'There is no server program');
}

/** The files that Jest was told to run. */
interface Run {
  readonly testPathPatterns?: { readonly patterns?: readonly string[] };
}

/** Packages whose own tests start no Redis. */
const WITHOUT_REDIS = ['core', 'fastify', 'hono', 'nestjs', 'postgres'];

/**
 * Jest calls this before any test, since installing takes longer than a test may, and must be done once. It does nothing where
 * only packages are tested that need no Redis.
 */
export default function findRedis({ testPathPatterns }: Run = {}): void {
  const patterns = testPathPatterns?.patterns ?? [];
  const needsNone = (pattern: string) => WITHOUT_REDIS.some((name) => pattern.includes(`packages/${name}`));
  if (patterns.length > 0 && patterns.every(needsNone)) return;
  if (!process.env[WANTED]) process.env[FOUND] ??= findServer();
}

/** Does what is chosen; where that fails, what is chosen then. Returns nothing where nothing is left. */
function findServer(): string {
  let machine: Machine = { find, isRoot: process.getuid?.() === 0 };
  for (;;) {
    const choice = choiceOf(undefined, machine);
    if ('use' in choice) return choice.use;
    if ('fail' in choice) return '';
    if ('install' in choice) {
      install(INSTALLERS[choice.install]);
      machine = { ...machine, isRoot: false };
    } else if (canCompose(choice.compose)) {
      return choice.compose;
    } else {
      machine = { ...machine, find: (program) => (program === 'docker' ? undefined : find(program)) };
    }
  }
}

/** Installs a server program where this is a container or a CI machine: root, with a package manager. */
function install(command: string): void {
  process.stderr.write(`Installing redis-server for the tests (${WANTED}=off prevents it): ${command}\n`);
  // A package that starts a service would leave a server behind that nobody asked for.
  succeeds('sh', ['-c', command], { ...process.env, RUNLEVEL: '1' });
}

/** True where `docker` can run a server; the image is there afterwards. */
function canCompose(docker: string): boolean {
  if (!succeeds(docker, [...COMPOSE_RUN, SERVICE, '--version'])) return false;
  process.stderr.write('Running the Redis servers of the tests through docker compose\n');
  return true;
}

function succeeds(program: string, args: readonly string[], env = process.env): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', env });
    return true;
  } catch {
    return false;
  }
}

function keysOf<Name extends string>(table: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(table) as Name[];
}
