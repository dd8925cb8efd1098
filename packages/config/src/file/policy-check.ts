import type { Path } from './path.js';
import type { PolicyFile } from './policy-file.js';

/** A part of a file that a program cannot do. */
export interface PolicyObjection {
  /** Where it is: `['policies', 'api', 'limits', 0]`. */
  readonly path: Path;
  /** What is wrong, and what to write instead. It follows the path: `cannot be honoured here: use a window`. */
  readonly rule: string;
}

/**
 * Returns what a program cannot do of a file that is right by itself. It is called with files that have no other mistake. Each
 * objection is a mistake of the file, with its line and column, and the code `SLUICE_UNSUPPORTED`.
 */
export type PolicyCheck = (file: PolicyFile) => readonly PolicyObjection[];
