/** The most bytes of one member that are kept. A usage has a few hundred. */
const MOST_BYTES = 65_536;

/** The most bytes of a key that are compared. */
const LONGEST_KEY = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/**
 * Reads some members of a JSON object while its text passes, in pieces of any size, and keeps nothing else. An answer
 * with thousands of embeddings has many megabytes, and its usage stands at the end.
 */
export class JsonMembers {
  readonly #wanted: ReadonlySet<string>;
  readonly #texts = new Map<string, string>();
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The text in quotes that came last at depth 1: a key, if a colon follows. */
  #lastText: number[] = [];
  /** The member whose value passes, if it is wanted, and the parts of its value. */
  #member: { readonly key: string; readonly parts: Uint8Array[]; bytes: number } | undefined;

  constructor(wanted: readonly string[]) {
    this.#wanted = new Set(wanted);
  }

  /** Reads the next piece. */
  push(chunk: Uint8Array): void {
    let valueFrom = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      if (this.#isInString) {
        i = this.#passString(chunk, i);
        continue;
      }
      const byte = chunk[i] as number;
      if (byte === QUOTE) {
        this.#isInString = true;
        this.#lastText = [];
      } else if (isOpening(byte)) {
        this.#depth += 1;
      } else if (byte === COLON && this.#depth === 1 && !this.#member) {
        this.#begin();
        valueFrom = i + 1;
      } else if (isClosing(byte)) {
        this.#depth -= 1;
        if (this.#depth === 0) this.#finish(chunk, valueFrom, i);
      } else if (byte === COMMA && this.#depth === 1) {
        this.#finish(chunk, valueFrom, i);
      }
    }
    this.#keep(chunk, valueFrom, chunk.length);
  }

  /** The members that have passed as a whole. */
  get members(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#texts].flatMap(([key, text]) => parsed(key, text)));
  }

  /** Passes a string from `from` on. Returns the place of its last byte in this piece. */
  #passString(chunk: Uint8Array, from: number): number {
    const isKept = this.#depth === 1 && !this.#member;
    let isEscaped = this.#isEscaped;
    let i = from;
    for (; i < chunk.length; i += 1) {
      const byte = chunk[i] as number;
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInString = false;
        break;
      }
      if (isKept && this.#lastText.length < LONGEST_KEY) this.#lastText.push(byte);
    }
    this.#isEscaped = isEscaped;
    return i;
  }

  #begin(): void {
    const key = String.fromCharCode(...this.#lastText);
    if (this.#wanted.has(key)) this.#member = { key, parts: [], bytes: 0 };
  }

  #keep(chunk: Uint8Array, from: number, to: number): void {
    const member = this.#member;
    if (!member || member.bytes > MOST_BYTES) return;
    member.bytes += to - from;
    if (member.bytes > MOST_BYTES) member.parts.length = 0;
    else member.parts.push(chunk.slice(from, to));
  }

  #finish(chunk: Uint8Array, from: number, to: number): void {
    this.#keep(chunk, from, to);
    const member = this.#member;
    this.#member = undefined;
    if (member && member.bytes <= MOST_BYTES) this.#texts.set(member.key, Buffer.concat(member.parts).toString('utf8'));
  }
}

function parsed(key: string, text: string): [key: string, value: unknown][] {
  try {
    return [[key, JSON.parse(text)]];
  } catch {
    return [];
  }
}
