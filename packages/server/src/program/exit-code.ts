/**
 * What the program tells the shell:
 *
 * - 0: it has drained, or printed what was asked for.
 * - 1: it could not start or go on, for a reason that is neither of the following: a port in use, for example.
 * - 2: a flag, or a variable of the environment, is wrong.
 * - 3: a file is missing, not readable, or not valid.
 */
export type ExitCode = 0 | 1 | 2 | 3;
