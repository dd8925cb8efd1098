import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, messageOf } from './command-error.js';

/** The code of another commit, in a temporary folder. */
export interface Checkout {
  readonly folder: string;
  /** The short name of the commit, and its subject. */
  readonly title: string;
  remove(): void;
}

/**
 * Makes a worktree of a commit. It is removed at the latest when this process ends.
 *
 * @throws CommandError if there is no such commit, or it cannot be checked out
 */
export function checkOut(repository: string, ref: string): Checkout {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  let title: string;
  try {
    title = git('log', '-1', '--format=%h %s', `${ref}^{commit}`, '--');
  } catch {
    throw new CommandError(`There is no commit ${ref}.`);
  }
  const parent = mkdtempSync(join(tmpdir(), 'sluice-base-'));
  const folder = join(parent, 'base');
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(parent, { recursive: true, force: true });
    try {
      git('worktree', 'prune');
    } catch {
      // Ctrl+C ends git, too. It forgets a worktree whose folder is gone by itself, later.
    }
  };
  process.on('exit', remove);
  try {
    git('worktree', 'add', '--quiet', '--detach', folder, `${ref}^{commit}`);
  } catch (error) {
    remove();
    throw new CommandError(`The commit ${ref} cannot be checked out: ${messageOf(error)}`);
  }
  return { folder, title, remove };
}
