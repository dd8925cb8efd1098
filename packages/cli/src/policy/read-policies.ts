import { type PolicyFile, readPolicyFile } from '@sluice/config';
import { unreadableError } from '../exit-code.js';
import { nameOf, readInput } from '../input.js';
import type { Io } from '../io.js';
import { counted } from '../terminal/counted.js';
import { mistakeLines } from './mistakes.js';

/** The file that a verb takes if the command line names none. It is the one that `sluice init` writes. */
export const DEFAULT_FILE = 'sluice.yaml';

/** A policy file without mistakes. */
export interface PolicyInput {
  /** What messages call it. */
  readonly name: string;
  readonly text: string;
  readonly file: PolicyFile;
}

/**
 * Reads a policy file that a verb needs. Its mistakes are printed to the standard error.
 *
 * @throws CommandError 3 if it cannot be read, or has mistakes
 */
export async function readPolicies(path: string, io: Io): Promise<PolicyInput> {
  const text = await readInput(path, io);
  const name = nameOf(path);
  const { file, mistakes } = readPolicyFile(text, { origin: name });
  if (file) return { name, text, file };
  for (const mistake of mistakes) io.stderr.write(mistakeLines(mistake, text, io.stderr));
  throw unreadableError(`${name} has ${counted(mistakes.length, 'mistake')}`);
}
