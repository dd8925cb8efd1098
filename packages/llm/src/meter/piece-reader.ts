import type { BodyReader } from './body-reader.js';
import type { PieceEnds } from './piece-ends.js';

/** The most bytes of one piece that are kept until it ends. A longer one is not read. */
const MOST_BYTES = 16_777_216;

/** Returns a reader of a body that consists of pieces: it reads each of them when it has ended, and keeps no other. */
export function pieceReader(ends: PieceEnds, read: (piece: Buffer) => void): BodyReader {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const goOn = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > MOST_BYTES) parts = [];
    // Whoever gets the chunk next may change it.
    else parts.push(Buffer.from(part));
  };
  return {
    push(chunk) {
      let from = 0;
      for (const end of ends.push(chunk)) {
        goOn(chunk.subarray(from, end));
        if (bytes <= MOST_BYTES) read(Buffer.concat(parts));
        parts = [];
        bytes = 0;
        from = end;
      }
      goOn(chunk.subarray(from));
      return undefined;
    },
    end() {},
  };
}
