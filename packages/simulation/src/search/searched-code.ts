import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Checkout, checkOut } from './base-checkout.js';
import { CommandError } from './command-error.js';
import type { CommandOptions } from './command-options.js';
import type { CodeFolders } from './crew.js';
import { defectsOf, type KnownDefect } from './known-defects.js';

/** The repository of this package. */
const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

/** @throws CommandError if a folder has no packages to play */
function checkoutAt(folder: string): string {
  const root = resolve(folder);
  if (existsSync(join(root, 'packages', 'core', 'package.json'))) return root;
  throw new CommandError(`--root: ${root} is no checkout of this repository. It has no folder packages/core.`);
}

/** The code that a command plays: that of this checkout, of another one, or of commits. */
export class SearchedCode {
  readonly folders: CodeFolders;
  readonly #checkouts: Checkout[] = [];
  readonly #root: string;

  /**
   * Checks the commits out. Needs `remove` afterwards.
   *
   * @throws CommandError if there is no such commit, or no checkout
   */
  constructor({ root, base, beside }: Pick<CommandOptions, 'root' | 'base' | 'beside'>, say: (line: string) => void) {
    const folderOf = (commit: string): string => {
      const checkout = checkOut(REPOSITORY, commit);
      this.#checkouts.push(checkout);
      say(`The code of ${checkout.title}`);
      return checkout.folder;
    };
    try {
      this.#root = base === undefined ? checkoutAt(root ?? REPOSITORY) : folderOf(base);
      const others = beside === undefined ? [] : [folderOf(beside)];
      this.folders = { roots: [this.#root, ...others], modules: join(REPOSITORY, 'node_modules') };
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** The defects that it may have. */
  get defects(): readonly KnownDefect[] {
    return defectsOf(this.#root);
  }

  /** Which commit it is of, as far as git knows: a working tree may have changed since. */
  get version(): string {
    try {
      const args = ['describe', '--always', '--dirty', '--exclude=*'];
      const stdio = ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'];
      return execFileSync('git', args, { cwd: this.#root, encoding: 'utf8', stdio }).trim();
    } catch {
      return 'unknown';
    }
  }

  remove(): void {
    for (const checkout of this.#checkouts.splice(0)) checkout.remove();
  }
}
