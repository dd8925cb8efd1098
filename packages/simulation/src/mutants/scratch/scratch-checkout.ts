import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Mutant, textWith } from '../mutant.js';
import { isOfScripts } from '../sources.js';
import { linkModules } from './link-modules.js';
import { type Command, type Ending, runCommand } from './run-command.js';

/** The sources that the build of Lua makes, how it is started, and how long it may take: on an idle machine a second. */
const SCRIPTS = 'packages/redis/src/generated/scripts.ts';
const BUILD_SCRIPTS = 'packages/redis/lua/build.mjs';
const LONGEST_BUILD_MS = 60_000;

/**
 * A copy of a checkout, in which one mutant after another stands in for the code. It stays on the disk, so that the next run only
 * copies what has changed, and Jest finds its cache.
 */
export class ScratchCheckout {
  readonly root: string;
  /** Where commands that run in it put their temporary files. */
  readonly temporary: string;
  /** The files that opening it has written anew. */
  readonly changed: readonly string[];
  readonly #originals = new Map<string, string>();

  private constructor(folder: string, changed: readonly string[]) {
    this.root = join(folder, 'checkout');
    this.temporary = join(folder, 'tmp');
    this.changed = changed;
    this.clear();
  }

  /**
   * Makes the copy in a folder the same as the checkout.
   *
   * @param files - of the checkout. Default: those that git tracks or would add.
   */
  static open(checkout: string, folder: string, files: readonly string[] = filesOf(checkout)): ScratchCheckout {
    const root = join(folder, 'checkout');
    mkdirSync(root, { recursive: true });
    const present = files.filter((file) => existsSync(join(checkout, file)));
    const wanted = new Set(present);
    const surplus = filesIn(root).filter((file) => !wanted.has(file));
    for (const file of surplus) rmSync(join(root, file));
    const copied = present.filter((file) => copyIfOther(join(checkout, file), join(root, file)));
    linkModules(checkout, root, present);
    return new ScratchCheckout(folder, copied);
  }

  /** Stands for the code of a file: two files with one hash have the same mutants. */
  hashOf(file: string): string {
    return createHash('sha256')
      .update(readFileSync(join(this.root, file)))
      .digest('hex')
      .slice(0, 16);
  }

  /**
   * Puts a mutant into its file. Where the scripts of Redis are made of that file, it makes them anew.
   *
   * @returns whether that could be done
   */
  apply(mutant: Mutant): boolean {
    this.#write(mutant.file, textWith(mutant, this.#read(mutant.file)));
    if (!isOfScripts(mutant.file)) return true;
    this.#originals.set(SCRIPTS, this.#read(SCRIPTS));
    const options = { cwd: this.root, stdio: 'ignore', timeout: LONGEST_BUILD_MS } as const;
    return spawnSync(process.execPath, [BUILD_SCRIPTS], options).status === 0;
  }

  /** Runs a command in it. See `runCommand`. */
  run(command: Command, limitMs: number, signal?: AbortSignal): Promise<Ending> {
    return runCommand(command, {
      folder: this.root,
      variables: { TMPDIR: this.temporary },
      limitMs,
      ...(signal && { signal }),
    });
  }

  /** Puts back all that `apply` has changed, and removes temporary files. */
  restore(): void {
    for (const [file, text] of this.#originals) writeFileSync(join(this.root, file), text);
    this.#originals.clear();
    this.clear();
  }

  clear(): void {
    rmSync(this.temporary, { recursive: true, force: true });
    mkdirSync(this.temporary, { recursive: true });
  }

  #read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8');
  }

  #write(file: string, text: string): void {
    this.#originals.set(file, this.#read(file));
    writeFileSync(join(this.root, file), text);
  }
}

function filesOf(checkout: string): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return list.split('\0').filter(Boolean);
}

/** All files and links in a folder, without those of packages from elsewhere. */
function filesIn(folder: string, within = ''): string[] {
  return readdirSync(join(folder, within), { withFileTypes: true }).flatMap((entry) => {
    const path = within === '' ? entry.name : `${within}/${entry.name}`;
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesIn(folder, path) : [path];
  });
}

function copyIfOther(from: string, to: string): boolean {
  if (lstatSync(from).isSymbolicLink()) return linkIfOther(readlinkSync(from), to);
  if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) return false;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  return true;
}

function linkIfOther(target: string, to: string): boolean {
  const entry = lstatSync(to, { throwIfNoEntry: false });
  if (entry?.isSymbolicLink() && readlinkSync(to) === target) return false;
  mkdirSync(dirname(to), { recursive: true });
  rmSync(to, { force: true });
  symlinkSync(target, to);
  return true;
}
