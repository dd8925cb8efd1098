import type { LineReader } from './line-format.js';
import { Lines, shownLine } from './lines.js';
import type { LogBytes } from './log-bytes.js';
import type { LoggedRequest } from './logged-request.js';

/** A line that has not the format of its log. */
interface UnparsedLine {
  readonly log: string;
  readonly line: number;
  readonly text: string;
}

/** How many lines were read, and which of them could not be. */
export class LineCounts {
  read = 0;
  unparsed = 0;
  readonly firstUnparsed: UnparsedLine[] = [];

  /** Notes a line that could not be read. */
  missed(log: string, line: number, text: string): void {
    this.unparsed += 1;
    if (this.firstUnparsed.length < 5) this.firstUnparsed.push({ log, line, text: shownLine(text) });
  }
}

/** Goes through the requests of one log. */
export class LogCursor {
  /** The request where it stands; undefined before the first and after the last. */
  current: LoggedRequest | undefined;
  readonly bytes: LogBytes;
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #counts: LineCounts;
  readonly #lines: Lines;
  readonly #read: LineReader;
  #hasEnded = false;

  constructor(bytes: LogBytes, chunks: AsyncGenerator<Buffer>, read: LineReader, counts: LineCounts) {
    this.bytes = bytes;
    this.#chunks = chunks;
    this.#counts = counts;
    this.#read = read;
    this.#lines = new Lines((start) => {
      counts.read += 1;
      counts.missed(bytes.log, this.#lines.count, start);
    });
  }

  /** Moves to the next request in the text that was read. Returns false if more has to be read first. */
  step(): boolean {
    for (let line = this.#lines.next(); line !== undefined; line = this.#lines.next()) {
      if (this.#moveTo(line)) return true;
    }
    return false;
  }

  /** Moves to the next request, and reads more as long as there is none. At the end, `current` is undefined. */
  async advance(): Promise<void> {
    while (!this.step()) {
      if (this.#hasEnded) {
        this.current = undefined;
        return;
      }
      const { done, value } = await this.#chunks.next();
      if (!done) {
        this.#lines.add(value);
        continue;
      }
      this.#hasEnded = true;
      const last = this.#lines.last();
      if (last !== undefined && this.#moveTo(last)) return;
    }
  }

  #moveTo(line: string): boolean {
    if (line === '') return false;
    this.#counts.read += 1;
    this.current = this.#read(line);
    if (this.current) return true;
    this.#counts.missed(this.bytes.log, this.#lines.count, line);
    return false;
  }
}
