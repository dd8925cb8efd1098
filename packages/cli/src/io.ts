import { type Clock, systemClock } from '@sluice/core';
import picocolors from 'picocolors';
import type { ExitCode } from './exit-code.js';

/** Functions that colour text for a terminal, or return it as it is. */
export type Colors = ReturnType<typeof picocolors.createColors>;

type Environment = Readonly<Record<string, string | undefined>>;

/** A stream of a program: `process.stdout`, or one of a test. */
type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly destroyed?: boolean;
};

/** The width of lines where there is no terminal. */
const DEFAULT_COLUMNS = 80;

/** One of the two outputs of the program. */
export interface Output {
  /** Writes text. If nobody reads it any more, the text is dropped. */
  write(text: string): void;
  /** Whether a person looks at it. If not, the output is stable: the same for the same input, without colours. */
  readonly isTTY: boolean;
  /** The width in characters; 80 if it is not a terminal. */
  readonly columns: number;
  /** Colours if a terminal shows them, and NO_COLOR is not set. */
  readonly colors: Colors;
  /** The stream itself, for libraries that draw. */
  readonly stream: OutputStream;
}

/** Everything that a verb knows of the world around it. */
export interface Io {
  /** The result. */
  readonly stdout: Output;
  /** Messages, and the progress of long work. */
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Environment;
  readonly clock: Clock;
  /** What the program ends with. It is 0 until a verb sets it. */
  exitCode: ExitCode;
}

/** The parts of a process that a verb uses. `process` is one. */
export interface Host {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Environment;
}

/** Connects verbs to a process. */
export function ioOf(host: Host, clock: Clock = systemClock): Io {
  const io: Io = {
    stdout: outputOf(host.stdout, host.env, fail),
    stderr: outputOf(host.stderr, host.env, fail),
    stdin: host.stdin,
    env: host.env,
    clock,
    exitCode: 0,
  };
  // The disk is full, for example.
  function fail(error: Error): void {
    io.exitCode = 3;
    io.stderr.write(`sluice: the output cannot be written: ${error.message}\n`);
  }
  return io;
}

function outputOf(stream: OutputStream, env: Environment, fail: (error: Error) => void): Output {
  const isTTY = stream.isTTY === true;
  let isBroken = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isBroken) return;
    isBroken = true;
    // The reader has seen enough, like `head`: that is no failure.
    if (error.code !== 'EPIPE') fail(error);
  });
  return {
    write: (text) => {
      if (!isBroken && stream.destroyed !== true) stream.write(text);
    },
    isTTY,
    get columns() {
      return stream.columns || DEFAULT_COLUMNS;
    },
    colors: picocolors.createColors(hasColors(isTTY, env)),
    stream,
  };
}

/** As no-color.org and Node itself have it: an empty variable counts as none, and NO_COLOR is stronger than FORCE_COLOR. */
function hasColors(isTTY: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY && TERM !== 'dumb';
}
