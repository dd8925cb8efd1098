import type { LineFormat, WantedFields } from './line-format.js';
import { Lines } from './lines.js';
import { LogBytes, startingWith, UnreadableLogError } from './log-bytes.js';
import { type LineCounts, LogCursor } from './log-cursor.js';
import { detectFormat } from './log-formats.js';

/** A log whose format is known, and of which nothing was read but the beginning. */
export interface OpenLog {
  readonly bytes: LogBytes;
  readonly format: LineFormat;
  cursor(wanted: WantedFields, counts: LineCounts): LogCursor;
  /** Reads nothing more of it. */
  close(): Promise<unknown>;
}

/** How many lines are looked at to find the format. */
const SAMPLE = 100;

/**
 * Opens a log, and finds its format if none is given.
 *
 * @returns undefined if the log is empty
 * @throws UnreadableLogError if it cannot be read, or no format fits
 */
export async function openLog(
  log: string,
  given: LineFormat | undefined,
  input: AsyncIterable<Uint8Array | string>,
): Promise<OpenLog | undefined> {
  const bytes = await LogBytes.of(log);
  const chunks = bytes.chunks(input);
  const first = await chunks.next();
  if (first.done) return undefined;
  const format = given ?? detectFormat(sampleOf(first.value));
  if (!format) {
    await chunks.return(undefined);
    throw unknownFormat(log);
  }
  return {
    bytes,
    format,
    cursor: (wanted, counts) => new LogCursor(bytes, startingWith(first.value, chunks), format.reader(wanted), counts),
    close: () => chunks.return(undefined),
  };
}

/** Returns the first lines. */
function sampleOf(chunk: Buffer): readonly string[] {
  const lines = new Lines(() => {});
  lines.add(chunk);
  const sample: string[] = [];
  while (sample.length < SAMPLE) {
    const line = lines.next() ?? lines.last();
    if (line === undefined) break;
    if (line !== '') sample.push(line);
  }
  return sample;
}

function unknownFormat(log: string): UnreadableLogError {
  return new UnreadableLogError(
    `${log === '-' ? 'the standard input' : log} has no format that is known by its look: pass the log_format of your nginx.conf as --log-format`,
  );
}
