import { type AuditWriter, SafeWriter } from '@sluice/config';

const MOST_LINES = 1000;
const MOST_CHARACTERS = 1_000_000;

/**
 * Writes audit lines, and keeps the last ones for `sluice audit`: 1,000 lines, and a million characters at most. Give it to
 * `policies({ audit })` too, so that one list has all that happened.
 */
export class AuditTrail implements AuditWriter {
  readonly #writer: SafeWriter;
  readonly #lines: string[] = [];
  #characters = 0;

  /** @param writer - where the lines go: a file, or the log */
  constructor(writer?: AuditWriter) {
    this.#writer = new SafeWriter(writer);
  }

  /** Writes a line, which is JSON and ends with a line feed. It never fails: a full disk must not keep a block from being set. */
  write(line: string): void {
    this.#keep(line);
    this.#writer.write(line);
  }

  /** Returns the last lines as data, the oldest first. */
  last(count: number): readonly object[] {
    return this.#lines.slice(-count).map((line): object => JSON.parse(line));
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
    while (this.#lines.length > MOST_LINES || (this.#characters > MOST_CHARACTERS && this.#lines.length > 1)) {
      this.#characters -= (this.#lines.shift() as string).length;
    }
  }
}
