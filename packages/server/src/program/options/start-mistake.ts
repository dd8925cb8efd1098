import type { ExitCode } from '../exit-code.js';

/** Something that keeps the program from starting. */
export interface StartMistake {
  /** 2: a flag or a variable is wrong. 3: a file is missing, not readable, or not valid. */
  readonly exitCode: Extract<ExitCode, 2 | 3>;
  /** Names the mistake and its cure, with the code of the error in brackets. It never contains a secret. */
  readonly message: string;
}

/** Returns what the program ends with: wrong flags come before wrong files. */
export function exitCodeOf(mistakes: readonly StartMistake[]): ExitCode {
  return mistakes.some(({ exitCode }) => exitCode === 2) ? 2 : 3;
}

/** The mistake of a flag or of a variable. */
export function usageMistake(message: string): StartMistake {
  return { exitCode: 2, message };
}

/** The mistake of a file. */
export function fileMistake(message: string): StartMistake {
  return { exitCode: 3, message };
}
