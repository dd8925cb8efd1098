import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The repository that this bench is part of. */
export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** The packages of the workspace, which each checkout has for itself. */
const OWN = '@sluice';

/** An older commit of a repository beside it, in a temporary folder. */
export interface Checkout {
  readonly folder: string;
  /** The commit's short name and its subject. */
  readonly title: string;
  remove(): Promise<void>;
}

/**
 * Makes a worktree of a commit, with the dependencies of this one.
 *
 * @throws Error if there is no such commit
 */
export async function checkOut(repository: string, ref: string): Promise<Checkout> {
  const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: repository })).stdout.trim();
  const title = await git('log', '-1', '--format=%h %s', `${ref}^{commit}`, '--').catch(() => {
    throw new Error(`There is no commit ${ref}`);
  });
  const parent = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const folder = join(parent, 'base');
  const remove = async (): Promise<void> => {
    await rm(parent, { recursive: true, force: true });
    await git('worktree', 'prune');
  };
  try {
    await git('worktree', 'add', '--quiet', '--detach', folder, `${ref}^{commit}`);
    await shareDependencies(repository, folder);
    return { folder, title, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The program that measures, and what it imports: nothing else of the bench has to suit older packages. */
const CHILD = 'src/child.ts';

/**
 * Compiles this bench for the packages of another checkout, and returns its child program. Both checkouts are measured
 * by the same bench, so that a change of the bench is no difference between them. Its types are not checked: where an
 * older package lacks what a task imports, that task does not start, and all others do.
 *
 * @throws Error if the packages do not compile
 */
export async function buildBench(folder: string): Promise<string> {
  const [own, theirs] = [REPOSITORY, folder].map((checkout) => join(checkout, 'packages/bench')) as [string, string];
  await rm(join(theirs, 'src'), { recursive: true, force: true });
  await cp(join(own, 'src'), join(theirs, 'src'), { recursive: true });
  await writeFile(join(theirs, 'tsconfig.json'), JSON.stringify(await projectOf(own, theirs)));
  await run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-b', 'packages/bench'], {
    cwd: folder,
  });
  return join(folder, 'packages/bench/dist/child.js');
}

/** The project of this bench, as it stands in another folder. */
async function projectOf(own: string, theirs: string): Promise<object> {
  const project = JSON.parse(await readFile(join(own, 'tsconfig.json'), 'utf8'));
  const { include: _, compilerOptions, references, ...config } = project;
  return {
    ...config,
    // A project that others may refer to would have to list all its files.
    compilerOptions: { ...compilerOptions, composite: false, declaration: false, declarationMap: false, noCheck: true },
    files: [CHILD],
    references: references.filter(({ path }: { readonly path: string }) => existsSync(join(theirs, path))),
  };
}

/** Links what is installed, but for the packages of the workspace: those are links within a checkout. */
async function shareDependencies(from: string, to: string): Promise<void> {
  const installed = join(from, 'node_modules');
  await mkdir(join(to, 'node_modules', OWN), { recursive: true });
  for (const name of await namesIn(installed)) {
    if (name !== OWN) await symlink(join(installed, name), join(to, 'node_modules', name));
  }
  for (const name of await namesIn(join(to, 'packages'))) {
    await symlink(join('../../packages', name), join(to, 'node_modules', OWN, name));
    if ((await namesIn(join(from, 'packages', name))).includes('node_modules')) {
      await symlink(join(from, 'packages', name, 'node_modules'), join(to, 'packages', name, 'node_modules'));
    }
  }
}

/** None where there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
