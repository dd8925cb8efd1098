import { pino } from 'pino';
import sonicBoom from 'sonic-boom';
import type { ServerOptions } from './options/server-options.js';

/** The log of the program. */
export type Log = pino.Logger;

/** Where lines go. `process.stdout` is one, and so is a test's. */
interface LogDestination {
  write(line: string): unknown;
}

/** The log, and the way to write what it still holds. */
export interface OpenLog {
  readonly log: Log;
  /** Writes what it still holds, and closes it. Call it before the process ends. */
  close(): void;
}

/** The most bytes that wait for a slow reader. Further lines are dropped: a log must not stop the limits. */
const MOST_BYTES = 16 * 1024 * 1024;

const STANDARD_OUTPUT = 1;

/** How often the last lines are offered to a reader that is too slow. Each time takes a tenth of a second. */
const MOST_RETRIES = 5;

/** Errors of an output that nobody will ever read again: a closed pipe, and a terminal that is gone. */
const IS_GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO']);

/**
 * Opens the log on the standard output. A reader that is slow, or gone, holds nobody up.
 *
 * It does not use `pino.destination`, because the version of `sonic-boom` in it tries to write the last lines to a closed pipe for
 * ever, and the program does not end.
 */
export function openLog(level: ServerOptions['logLevel']): OpenLog {
  let retries = Number.POSITIVE_INFINITY;
  const retryEAGAIN = (): boolean => {
    retries -= 1;
    return retries >= 0;
  };
  const destination = new sonicBoom.SonicBoom({ fd: STANDARD_OUTPUT, sync: false, maxLength: MOST_BYTES, retryEAGAIN });
  let isOpen = true;
  const end = (): void => {
    isOpen = false;
    destination.destroy();
  };
  destination.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (IS_GONE.has(code)) end();
  });
  const write = (line: string): void => {
    if (isOpen) destination.write(line);
  };
  return {
    log: createLog(level, { write }),
    close() {
      if (!isOpen) return;
      retries = MOST_RETRIES;
      try {
        destination.flushSync();
      } catch {
        // Nobody reads it any more.
      }
      end();
    },
  };
}

/** Makes a log of JSON lines, with the time and the level as text. */
export function createLog(level: ServerOptions['logLevel'], destination: LogDestination): Log {
  return pino(
    {
      level,
      // Whoever collects the lines knows the machine.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: shownError },
    },
    { write: (line) => void destination.write(line) },
  );
}

/**
 * Returns the parts of an error that the log shows. Its other properties may be keys: the commands of a Redis error, the received
 * value of ours.
 */
function shownError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, ...(code !== undefined && { code }), stack };
}
