import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { reasonOf } from '../input.js';

/** A log that cannot be read. */
export class UnreadableLogError extends Error {
  override readonly name = 'UnreadableLogError';
}

const CHUNK_BYTES = 262_144;

/** What is packed by programs that Node cannot undo, by the first bytes. */
const PACKED: readonly (readonly [magic: string, name: string, cure: string])[] = [
  ['425a68', 'bzip2', 'bzcat'],
  ['fd377a58', 'xz', 'xzcat'],
  ['28b52ffd', 'zstd', 'zstdcat'],
];

const GZIP = '1f8b';

/** The bytes of a log: a file, packed with gzip or not, or the standard input for `-`. */
export class LogBytes {
  /** How many bytes of the file were read. */
  read = 0;

  private constructor(
    readonly log: string,
    /** How many bytes the file has; undefined for the standard input. */
    readonly size: number | undefined,
  ) {}

  /** @throws UnreadableLogError if there is no such file */
  static async of(log: string): Promise<LogBytes> {
    if (log === '-') return new LogBytes(log, undefined);
    try {
      const found = await stat(log);
      if (!found.isFile() && !found.isFIFO()) throw new Error('it is not a file');
      // So that a file which may not be read is told of before the others are read.
      if (found.isFile()) await (await open(log)).close();
      return new LogBytes(log, found.isFile() ? found.size : undefined);
    } catch (error) {
      throw unreadable(log, error);
    }
  }

  /**
   * Returns the bytes in chunks. Each chunk holds until the next one is asked for.
   *
   * @throws UnreadableLogError while it is read
   */
  async *chunks(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
    const counted = this.#counted(this.log === '-' ? input : fileChunks(this.log));
    try {
      const first = await counted.next();
      if (first.done) return;
      const magic = first.value.toString('hex', 0, 4);
      const packed = PACKED.find(([start]) => magic.startsWith(start));
      if (packed) throw new Error(`it is packed with ${packed[1]}: use ${packed[2]} ${this.log} | sluice replay … -`);
      const rest = startingWith(first.value, counted);
      yield* magic.startsWith(GZIP) ? unpacked(rest) : rest;
    } catch (error) {
      throw unreadable(this.log, error);
    } finally {
      await counted.return(undefined);
    }
  }

  async *#counted(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : bufferOf(chunk);
      this.read += bytes.length;
      yield bytes;
    }
  }
}

/** Reads a file into the same bytes again and again: each chunk holds until the next one. */
async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The same bytes, not a copy. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns chunks with one before them. Whoever ends before the others ends them as well. */
export async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* unpacked(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Whoever reads gets the errors, and closes the log by ending early.
  pipeline(chunks, copied, gunzip).catch(() => {});
  yield* gunzip as AsyncIterable<Buffer>;
}

/** Chunks that hold for longer than until the next one. */
async function* copied(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function unreadable(log: string, error: unknown): UnreadableLogError {
  if (error instanceof UnreadableLogError) return error;
  return new UnreadableLogError(`cannot read ${log === '-' ? 'the standard input' : log}: ${reasonOf(error)}`, {
    cause: error,
  });
}
