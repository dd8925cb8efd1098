import type { BodyEdit } from '../meter/metered-body.js';
import type { PieceEnds } from '../meter/piece-ends.js';

/** The most bytes of a piece that is held back. An error is far shorter, or says within them that it is one. */
const MOST_BYTES = 1_048_576;

/** A change of some pieces of a stream. */
export interface PieceEdit {
  /**
   * Returns the bytes to pass on in the place of a piece; undefined leaves it as it is.
   *
   * @param isWhole - whether it has ended. If not, what is returned stands for all of it
   */
  change(piece: Buffer, isWhole: boolean): Uint8Array | undefined;
}

/** Changes some pieces of a stream. All other bytes pass unchanged. A piece is held back until it is whole. */
export class PieceFilter implements BodyEdit {
  readonly #ends: PieceEnds;
  readonly #edit: PieceEdit;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** What happens to the rest of a piece that is too long to be held back. */
  #rest: 'passed' | 'dropped' | undefined;

  constructor(ends: PieceEnds, edit: PieceEdit) {
    this.#ends = ends;
    this.#edit = edit;
  }

  /** Returns the bytes to pass on now. */
  push(chunk: Uint8Array): Uint8Array {
    const passed: Uint8Array[] = [];
    let from = 0;
    for (const end of this.#ends.push(chunk)) {
      this.#goOn(chunk.subarray(from, end), passed);
      this.#end(passed);
      from = end;
    }
    this.#goOn(chunk.subarray(from), passed);
    return Buffer.concat(passed);
  }

  /** Returns the bytes that are left when the stream has ended. */
  end(): Uint8Array {
    const passed: Uint8Array[] = [];
    this.#end(passed);
    return Buffer.concat(passed);
  }

  #goOn(part: Uint8Array, passed: Uint8Array[]): void {
    if (this.#rest === 'passed') passed.push(part);
    if (this.#rest) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= MOST_BYTES) return;
    this.#rest = this.#pass(passed, false) ? 'dropped' : 'passed';
  }

  #end(passed: Uint8Array[]): void {
    if (!this.#rest) this.#pass(passed, true);
    this.#rest = undefined;
  }

  /** Passes on what is held back. Returns whether it was changed. */
  #pass(passed: Uint8Array[], isWhole: boolean): boolean {
    const piece = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    const changed = this.#edit.change(piece, isWhole);
    passed.push(changed ?? piece);
    return changed !== undefined;
  }
}

/** Returns a body as an edit passes it on. It is read only as fast as somebody asks for it. */
export function editedBody(body: ReadableStream<Uint8Array>, edit: BodyEdit): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const passed = done ? edit.end() : edit.push(value, undefined);
          if (passed.length > 0) controller.enqueue(passed);
          if (done) controller.close();
          if (done || passed.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
