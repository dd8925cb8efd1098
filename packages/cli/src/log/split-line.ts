import type { Template } from './template.js';

/** How many characters of a line may be looked at with other ends of its fields, so that no line takes long. */
const MOST_TRIED = 1_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a variable looks like, for those whose text is never free. */
const SHAPES: readonly (readonly [variable: RegExp, shape: RegExp])[] = [
  [/^(status|pid|bytes_sent|body_bytes_sent|request_length|connection(_requests)?)$/, /^(\d+|-)$/],
  [/^(msec|request_time)$/, /^(\d+(\.\d+)?|-)$/],
  [/^time_local$/, /^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}$/],
  [/^time_iso8601$/, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([+-]\d{2}:\d{2}|Z)$/],
  [/^(remote_addr|realip_remote_addr)$/, /^\S+$/],
];

/** Finds the fields of lines. `starts` and `ends` hold the places of the fields of the last line that had the format. */
export class LineSplitter {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly #before: string;
  readonly #after: readonly string[];
  readonly #shapes: readonly (RegExp | undefined)[];
  #tried = 0;

  constructor({ before, parts }: Template) {
    this.#before = before;
    this.#after = parts.map(({ after }) => after);
    this.#shapes = parts.map(({ variable }) => SHAPES.find(([names]) => names.test(variable))?.[1]);
  }

  /** Ends each field at the first text that follows it in the format. Returns false if the line is not of the format. */
  split(line: string): boolean {
    const after = this.#after;
    const last = after.length - 1;
    if (!line.startsWith(this.#before)) return false;
    let at = this.#before.length;
    for (let i = 0; i < last; i += 1) {
      const literal = after[i] as string;
      const end = endOfField(line, literal, at);
      if (end < 0) return false;
      this.starts[i] = at;
      this.ends[i] = end;
      at = end + literal.length;
    }
    return this.#splitLast(line, at);
  }

  /**
   * Like `split`, for lines in which a field has the text that should follow it: `Jane [Doe]` as the name of a user. It
   * tries later ends until each number and each time of the line is one.
   */
  splitByShape(line: string): boolean {
    if (!line.startsWith(this.#before)) return false;
    this.#tried = 0;
    return this.#tryFrom(line, 0, this.#before.length);
  }

  #tryFrom(line: string, i: number, at: number): boolean {
    const literal = this.#after[i] as string;
    if (i === this.#after.length - 1) return this.#splitLast(line, at) && this.#fits(line, i);
    for (let end = endOfField(line, literal, at); end >= 0; end = endOfField(line, literal, end + 1)) {
      // Half a hundred for the try itself: a thousand fields of one character take long, too.
      this.#tried += end - at + 50;
      if (this.#tried > MOST_TRIED) return false;
      this.starts[i] = at;
      this.ends[i] = end;
      if (this.#fits(line, i) && this.#tryFrom(line, i + 1, end + literal.length)) return true;
    }
    return false;
  }

  #fits(line: string, i: number): boolean {
    return this.#shapes[i]?.test(line.slice(this.starts[i], this.ends[i])) ?? true;
  }

  #splitLast(line: string, at: number): boolean {
    const last = this.#after.length - 1;
    const literal = this.#after[last] as string;
    const end = line.length - literal.length;
    if (end < at || !line.endsWith(literal)) return false;
    this.starts[last] = at;
    this.ends[last] = end;
    return true;
  }
}

/** Returns where the text that follows a field begins; -1 if it does not. A quote after a backslash is part of the field. */
function endOfField(line: string, literal: string, from: number): number {
  let end = indexOfLiteral(line, literal, from);
  if (literal.charCodeAt(0) !== QUOTE) return end;
  while (end > from && isEscaped(line, end, from)) end = line.indexOf(literal, end + 1);
  return end;
}

/** Like `indexOf`, which is several times faster for one character: mostly the first is followed by the others. */
function indexOfLiteral(line: string, literal: string, from: number): number {
  const first = line.indexOf(literal.charAt(0), from);
  for (let i = 1; i < literal.length; i += 1) {
    if (line.charCodeAt(first + i) !== literal.charCodeAt(i))
      return first < 0 ? first : line.indexOf(literal, first + 1);
  }
  return first;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(line: string, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - backslashes > from && line.charCodeAt(at - backslashes - 1) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
