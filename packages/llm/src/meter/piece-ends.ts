import { frameBytes, PRELUDE_BYTES } from './frame.js';

/** Finds where the pieces of a stream end, such as lines. */
export interface PieceEnds {
  /** Returns the places in a chunk behind the pieces that end in it. */
  push(chunk: Uint8Array): readonly number[];
}

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Finds the ends of lines. */
export function lineEnds(): PieceEnds {
  return {
    push(chunk) {
      const ends: number[] = [];
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) ends.push(at + 1);
      return ends;
    },
  };
}

/**
 * Finds the ends of the objects and lists that lie in a JSON array or object, without those that lie deeper. What stands between two of
 * them, such as the name of a member, belongs to the second.
 */
export function elementEnds(): PieceEnds {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  return {
    push(chunk) {
      const ends: number[] = [];
      for (let i = 0; i < chunk.length; i += 1) {
        const byte = chunk[i] as number;
        if (isInString) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isInString = false;
        } else if (byte === QUOTE) isInString = true;
        else if (OPENING.has(byte)) depth += 1;
        else if (CLOSING.has(byte)) {
          depth -= 1;
          if (depth === 1) ends.push(i + 1);
        }
      }
      return ends;
    },
  };
}

/** Finds the ends of messages of Amazon's event streams. If one is none, it is the rest of the stream. */
export function frameEnds(): PieceEnds {
  let prelude: Buffer = Buffer.alloc(0);
  /** Bytes of the message that are still to come; undefined before its prelude is whole. */
  let rest: number | undefined;
  return {
    push(chunk) {
      const ends: number[] = [];
      let at = 0;
      while (at < chunk.length) {
        if (rest === undefined) {
          const missing = chunk.subarray(at, at + PRELUDE_BYTES - prelude.length);
          prelude = Buffer.concat([prelude, missing]);
          at += missing.length;
          if (prelude.length < PRELUDE_BYTES) break;
          rest = (frameBytes(prelude) ?? Number.POSITIVE_INFINITY) - PRELUDE_BYTES;
        }
        const taken = Math.min(rest, chunk.length - at);
        at += taken;
        rest -= taken;
        if (rest > 0) break;
        ends.push(at);
        rest = undefined;
        prelude = Buffer.alloc(0);
      }
      return ends;
    },
  };
}
