import { mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, messageOf } from './command-error.js';
import type { Failure } from './failure.js';

/** Where a campaign keeps the tapes of what it finds. */
export class TapeFolder {
  readonly #folder: string;
  readonly #say: (line: string) => void;

  /**
   * @param say - is called with a tape that cannot be written
   * @throws CommandError if nothing can be written there
   */
  constructor(folder: string, say: (line: string) => void) {
    this.#folder = folder;
    this.#say = say;
    try {
      mkdirSync(folder, { recursive: true });
      rmdirSync(mkdtempSync(join(folder, 'trial-')));
    } catch (error) {
      throw new CommandError(`Tapes cannot be written to ${folder}: ${messageOf(error)}`);
    }
  }

  /**
   * Writes a failure in the form of an entry of the list of known defects, and beside it the tape before it was shrunk. Returns where
   * the entry is.
   */
  keep(name: string, { invariant, says, tape, whole, story }: Failure): string {
    const file = join(this.#folder, `${name}.json`);
    const entry = { name, what: says, invariant, story, tape };
    try {
      writeFileSync(file, textOf(entry));
      if (whole !== tape) writeFileSync(join(this.#folder, `${name}-whole.json`), textOf(whole));
      return file;
    } catch (error) {
      this.#say(`${file} cannot be written: ${messageOf(error)}. It would be:`);
      this.#say(JSON.stringify(entry));
      return 'above';
    }
  }
}

function textOf(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
