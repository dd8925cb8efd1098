import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The code of another commit, in a temporary folder. */
export interface Checkout {
  readonly folder: string;
  /** The short name of the commit, and its subject. */
  readonly title: string;
  remove(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Makes a worktree of a commit. It is removed by `remove`, or when a signal ends this process.
 *
 * @throws Error if there is no such commit
 */
export function checkOut(repository: string, ref: string): Checkout {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  let title: string;
  try {
    title = git('log', '-1', '--format=%h %s', `${ref}^{commit}`, '--');
  } catch {
    throw new Error(`There is no commit ${ref}`);
  }
  const parent = mkdtempSync(join(tmpdir(), 'sluice-base-'));
  const folder = join(parent, 'base');
  const remove = (): void => {
    for (const signal of SIGNALS) process.off(signal, end);
    rmSync(parent, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  const end = (): void => {
    remove();
    process.exit(1);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    git('worktree', 'add', '--quiet', '--detach', folder, `${ref}^{commit}`);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, title, remove };
}
