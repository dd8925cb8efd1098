import { isObject, parsedObject } from '../json-object.js';
import { chunkText } from '../meter/chunk-text.js';
import type { BodyEdit } from '../meter/metered-body.js';

/** The most bytes that a chunk with a usage can have. A longer event is passed on as it comes. */
const MOST_BYTES = 65_536;

const CR = 0x0d;
const LF = 0x0a;

/** A change of some events of a stream. */
export interface EventEdit {
  /** What a text has in it if it may have such an event. Most have none, and need not be looked at. */
  readonly pattern: RegExp;
  /** Returns the text to pass on in the place of an event: `''` takes it out, and undefined leaves it as it is. */
  change(event: string): string | undefined;
  /**
   * Returns the text to pass on in the place of an event that is too long to be held back, by how it begins; undefined passes it on as it
   * comes.
   */
  changeLong?(begun: string): string | undefined;
}

/**
 * Changes some events of a stream of server-sent events. All other bytes pass unchanged. An event is held back until it is whole, or
 * longer than those that are changed.
 */
export class EventFilter implements BodyEdit {
  readonly #edits: readonly EventEdit[];
  /** All patterns as one, because it is asked for each chunk of a stream. */
  readonly #pattern: RegExp;
  /** The event that has begun, if it is held back. */
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** What happens to the rest of an event that is too long to be held back. */
  #rest: 'passed' | 'dropped' | undefined;
  #isLineEmpty = true;
  #isAfterCr = false;
  /** Whether the last event was taken out, with a line end that may go on with LF. */
  #tookOut = false;

  constructor(edits: readonly EventEdit[]) {
    this.#edits = edits;
    this.#pattern = new RegExp(edits.map(({ pattern }) => pattern.source).join('|'));
  }

  /** Returns the bytes to pass on now. */
  push(chunk: Uint8Array, text?: string): Uint8Array {
    return this.#hasBegun || this.#isAfterCr || !this.#isPlain(chunk, text) ? this.#read(chunk) : chunk;
  }

  /** Whether an event has begun and not ended. */
  get #hasBegun(): boolean {
    return this.#parts.length > 0 || this.#rest !== undefined;
  }

  #read(chunk: Uint8Array): Uint8Array {
    const passed: Uint8Array[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i];
      const isSecondHalf = byte === LF && this.#isAfterCr;
      this.#isAfterCr = byte === CR;
      if (isSecondHalf) {
        // The line has ended before. If an event ended with it, this is its last byte.
        if (i > from || this.#hasBegun) continue;
        if (!this.#tookOut) passed.push(chunk.subarray(i, i + 1));
        from = i + 1;
      } else if (byte !== LF && byte !== CR) {
        this.#isLineEmpty = false;
      } else if (this.#isLineEmpty) {
        this.#endEvent(chunk.subarray(from, i + 1), passed);
        from = i + 1;
      } else {
        this.#isLineEmpty = true;
      }
    }
    this.#goOn(chunk.subarray(from), passed);
    return joined(passed);
  }

  /** Returns the bytes that are left when the stream has ended. */
  end(): Uint8Array {
    const passed: Uint8Array[] = [];
    this.#endEvent(new Uint8Array(0), passed);
    return joined(passed);
  }

  /** Whether a piece of a stream that begins with an event ends with one, and none of them is changed: most are so. */
  #isPlain(chunk: Uint8Array, text: string | undefined): boolean {
    const { length } = chunk;
    return chunk[length - 1] === LF && chunk[length - 2] === LF && !this.#pattern.test(text ?? chunkText(chunk));
  }

  #changed(event: string): string | undefined {
    return this.#edits.find(({ pattern }) => pattern.test(event))?.change(event);
  }

  #goOn(part: Uint8Array, passed: Uint8Array[]): void {
    if (part.length === 0) return;
    if (this.#rest === 'passed') passed.push(part);
    if (this.#rest) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= MOST_BYTES) return;
    const begun = Buffer.concat(this.#parts).toString('utf8', 0, MOST_BYTES);
    const changed = this.#edits.map((edit) => edit.changeLong?.(begun)).find((text) => text !== undefined);
    if (changed === undefined) passed.push(...this.#parts);
    else passed.push(Buffer.from(changed));
    this.#parts = [];
    this.#rest = changed === undefined ? 'passed' : 'dropped';
  }

  #endEvent(part: Uint8Array, passed: Uint8Array[]): void {
    this.#goOn(part, passed);
    const changed = this.#rest ? undefined : this.#changed(Buffer.concat(this.#parts).toString('utf8'));
    this.#tookOut = changed === '' || this.#rest === 'dropped';
    if (changed === undefined) passed.push(...this.#parts);
    else if (changed !== '') passed.push(Buffer.from(changed));
    this.#parts = [];
    this.#bytes = 0;
    this.#rest = undefined;
    this.#isLineEmpty = true;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0), ...rest] = parts;
  return rest.length === 0 ? first : Buffer.concat(parts);
}

/** The edit that takes out the chunk with a usage and no choices, which the client did not ask for. */
export const WITHOUT_USAGE: EventEdit = {
  pattern: /"choices"\s*:\s*\[\s*\]/,
  change: (event) => (isUsageChunk(event) ? '' : undefined),
};

function isUsageChunk(event: string): boolean {
  const data = [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n');
  const { choices, usage } = parsedObject(data) ?? {};
  return Array.isArray(choices) && choices.length === 0 && isObject(usage);
}
