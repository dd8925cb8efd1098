import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isExecutable } from '@sluice/test-kit/find-program';

/** The programs of a server that the tests start. */
const PROGRAMS = ['initdb', 'postgres'] as const;

/** Set by a person: `off`, or the folder of the programs. */
const WANTED = 'SLUICE_TEST_POSTGRES';

/** How Jest's processes learn what was found before any test; empty when nothing was. */
const FOUND = 'SLUICE_TEST_POSTGRES_FOUND';

/** How they learn where the servers of this run share the data of a new one. */
export const TEMPLATE = 'SLUICE_TEST_POSTGRES_TEMPLATE';

/** Where Debian's packages put the programs of each version. */
const VERSIONS = '/usr/lib/postgresql';

const INSTALLERS = {
  'apt-get':
    'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql',
  apk: 'apk add --no-cache postgresql',
} as const;

/** The command for a person to enter, by package manager. */
const HELP = {
  'apt-get': 'sudo apt-get install postgresql',
  apk: 'sudo apk add postgresql',
  dnf: 'sudo dnf install postgresql-server',
  brew: 'brew install postgresql',
} as const;

/** How to find programs on this machine, and what the tests may do there. */
export interface Machine {
  /** Folders that may have the programs, the preferred first. */
  readonly folders: readonly string[];
  /** Whether a program can be run. */
  readonly isProgram: (path: string) => boolean;
  /** The package managers of `INSTALLERS` and `HELP` that are there. */
  readonly managers: readonly string[];
  readonly isRoot: boolean;
}

/** How to get the programs. */
export type Choice =
  | { readonly use: string }
  | { readonly install: keyof typeof INSTALLERS }
  | { readonly fail: string };

/**
 * Chooses how to have the programs.
 *
 * @param wanted - `off`, a folder, or nothing, which leaves the choice to what is there.
 */
export function choiceOf(wanted: string | undefined, { folders, isProgram, managers, isRoot }: Machine): Choice {
  const hasPrograms = (folder: string): boolean => PROGRAMS.every((program) => isProgram(join(folder, program)));
  if (wanted === 'off')
    return {
      fail: `This test needs PostgreSQL, and ${WANTED} is off: set it to the folder of initdb and postgres, or unset it.`,
    };
  if (wanted)
    return hasPrograms(wanted)
      ? { use: wanted }
      : { fail: `${WANTED} has to be off or the folder of initdb and postgres, and is ${wanted}` };
  const folder = folders.find(hasPrograms);
  if (folder !== undefined) return { use: folder };
  const manager = keysOf(INSTALLERS).find((name) => managers.includes(name));
  if (manager && isRoot) return { install: manager };
  const help = HELP[keysOf(HELP).find((name) => managers.includes(name)) ?? 'apt-get'];
  return { fail: `The tests need PostgreSQL (initdb and postgres). This installs it: ${help}` };
}

/**
 * The folder of the programs that start the servers of the tests. Installs them where this is a container or a CI machine: root,
 * with a package manager.
 *
 * @throws Error with what helps
 */
export function postgresFolder(): string {
  const wanted = process.env[WANTED];
  const found = wanted ? undefined : process.env[FOUND];
  if (found) return found;
  let choice = choiceOf(wanted, machine());
  if ('install' in choice) {
    install(INSTALLERS[choice.install]);
    choice = choiceOf(wanted, { ...machine(), isRoot: false });
  }
  if (!('use' in choice)) throw new Error('fail' in choice ? choice.fail : 'PostgreSQL could not be installed');
  if (!wanted) process.env[FOUND] = choice.use;
  return choice.use;
}

/** The files that Jest was told to run. */
interface Run {
  readonly testPathPatterns?: { readonly patterns?: readonly string[] };
}

/**
 * Jest calls this before any test, since installing takes longer than a test may, and must be done once. It looks for the
 * programs only where their tests may run: they are larger than all else that the tests need.
 */
export default function findPostgres({ testPathPatterns }: Run): void {
  const patterns = testPathPatterns?.patterns ?? [];
  const isWanted = (pattern: string) => pattern.includes('postgres') || 'packages/postgres/test/'.includes(pattern);
  if (patterns.length > 0 && !patterns.some(isWanted)) return;
  const template = join(tmpdir(), `sluice-postgres-template-${process.pid}`);
  process.env[TEMPLATE] = template;
  process.on('exit', () => rmSync(template, { recursive: true, force: true }));
  try {
    postgresFolder();
  } catch {
    // The tests that need it say what helps.
  }
}

function machine(): Machine {
  const path = (process.env.PATH ?? '').split(delimiter);
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const newestFirst = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, 'bin'));
  return {
    folders: [...path, ...newestFirst],
    isProgram: isExecutable,
    managers: keysOf(HELP).filter((name) => path.some((folder) => isExecutable(join(folder, name)))),
    isRoot: process.getuid?.() === 0,
  };
}

function install(command: string): void {
  process.stderr.write(`Installing PostgreSQL for the tests (${WANTED}=off prevents it): ${command}\n`);
  try {
    // A package that starts a service would leave a server behind that nobody asked for.
    execFileSync('sh', ['-c', command], { stdio: 'ignore', env: { ...process.env, RUNLEVEL: '1' } });
  } catch {
    // If it is still missing, the tests that need it say so.
  }
}

function keysOf<Name extends string>(table: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(table) as Name[];
}
