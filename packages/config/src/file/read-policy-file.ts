import type { Mistake } from './mistake.js';
import type { PolicyFile } from './policy-file.js';

/** A policy file, or everything that is wrong with it. */
export type ReadPolicyFile =
  | { readonly file: PolicyFile; readonly mistakes?: never }
  | { readonly file?: never; readonly mistakes: readonly [Mistake, ...Mistake[]] };
