/** A longer line is not read: nginx and Apache write no line of a megabyte, unless someone makes them. */
const LONGEST_LINE = 1_048_576;

/** How many bytes become text at once: see "Memory" in `packages/bench/docs/v8.md`. */
const DECODED = 65_536;

/** How much of a line is kept to be shown. */
const SHOWN = 200;

const NEWLINE = 0x0a;

/**
 * Splits chunks of bytes into lines. Each character of a line stands for one byte: so no line is broken by bytes that are
 * no text, and nothing is decoded that nobody reads.
 */
export class Lines {
  /** How many lines were returned or were too long. */
  count = 0;
  /** The bytes that are not text yet. */
  #bytes: Buffer = Buffer.alloc(0);
  #text = '';
  #at = 0;
  /** Whether the line at the end of the text is one of which the beginning was dropped. */
  #isTooLong = false;
  readonly #notifyTooLong: (start: string) => void;

  /** @param notifyTooLong - called with the beginning of each line that is too long */
  constructor(notifyTooLong: (start: string) => void) {
    this.#notifyTooLong = notifyTooLong;
  }

  /** Takes the next bytes. All lines before must have been read, and the bytes must not change until theirs are. */
  add(chunk: Buffer): void {
    this.#bytes = chunk;
  }

  /** Returns the next line; undefined if more bytes are needed. */
  next(): string | undefined {
    let end = this.#text.indexOf('\n', this.#at);
    while (end < 0 && this.#bytes.length > 0) {
      this.#decode();
      end = this.#text.indexOf('\n', this.#at);
    }
    return end < 0 ? undefined : this.#take(end);
  }

  /** Returns the last line, if it does not end with a newline; undefined if there is none. */
  last(): string | undefined {
    return this.#at < this.#text.length ? this.#take(this.#text.length) : undefined;
  }

  #decode(): void {
    const rest = this.#text.slice(this.#at);
    const added = this.#bytes.toString('latin1', 0, DECODED);
    this.#bytes = this.#bytes.subarray(DECODED);
    this.#at = 0;
    this.#text = rest === '' ? added : rest + added;
    if (this.#isTooLong) {
      const end = this.#text.indexOf('\n');
      this.#at = end < 0 ? this.#text.length : end + 1;
      this.#isTooLong = end < 0;
    } else if (rest.length > LONGEST_LINE && !this.#text.includes('\n', rest.length)) {
      this.count += 1;
      this.#notifyTooLong(rest.slice(0, SHOWN));
      this.#at = this.#text.length;
      this.#isTooLong = true;
    }
  }

  #take(end: number): string {
    const hasReturn = end > this.#at && this.#text.charCodeAt(end - 1) === 0x0d;
    const line = this.#text.slice(this.#at, hasReturn ? end - 1 : end);
    this.#at = this.#text.charCodeAt(end) === NEWLINE ? end + 1 : end;
    this.count += 1;
    return line;
  }
}

/** Returns the beginning of a line, for people: bytes that cannot be shown are escaped. */
export function shownLine(line: string): string {
  const start = line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
  return start.replaceAll(
    /[^\x20-\x7e\u2026]/g,
    (byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
