/**
 * What a verb tells the shell:
 *
 * - 0: the work was done, and there is nothing to report.
 * - 1: the work was done, and it found something: a mistake in a file, or a difference that is a risk.
 * - 2: the command line is wrong.
 * - 3: the work could not be done: an input is missing, not readable, or not valid.
 */
export type ExitCode = 0 | 1 | 2 | 3;

/** Ends a verb with a message and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Returns the error for a command line that is wrong (2). Say what to type instead. */
export function usageError(message: string): CommandError {
  return new CommandError(2, message);
}

/** Returns the error for an input that cannot be read or used (3), or an output that cannot be written. */
export function unreadableError(message: string, cause?: unknown): CommandError {
  return new CommandError(3, message, { cause });
}
