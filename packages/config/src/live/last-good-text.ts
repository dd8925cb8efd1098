import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';
import { reasonOf, warn } from '@sluice/core/values';
import type { SourceText } from '../source/source.js';
import { sourceText } from '../source/source-text.js';

/** Keeps the last good text on disk, so that a process can start while the source is away. */
export class LastGoodText {
  readonly #path: string;
  #hasWarned = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the kept text; undefined if there is none. */
  async read(): Promise<SourceText | undefined> {
    const bytes = await readFile(this.#path).catch(() => undefined);
    return bytes && sourceText(bytes, this.#path);
  }

  /** Writes beside the file and renames, so that a crash leaves the old text or the new one. */
  async write(text: string): Promise<void> {
    // Processes of two containers may share a folder, and have the same number.
    const beside = `${this.#path}.${hostname()}-${process.pid}.tmp`;
    try {
      await writeFile(beside, text, { mode: 0o600 });
      await rename(beside, this.#path);
    } catch (error) {
      await rm(beside, { force: true }).catch(() => {});
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      const what = `the last good policies could not be kept in ${this.#path}`;
      warn('SLUICE_HOOK_FAILED', `${what}, so a restart needs the source: ${reasonOf(error)}`);
    }
  }
}
