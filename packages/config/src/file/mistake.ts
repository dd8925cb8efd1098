/** One mistake of a policy file, with its place. */
export interface Mistake {
  /** The name of the file, or where else the text came from. */
  readonly origin: string;
  /** The line, from 1. */
  readonly line: number;
  /**
   * The column, from 1: of the key if the key is wrong, or if something is missing in its value; otherwise of the value.
   */
  readonly column: number;
  /** Where it is in the document, such as `policies.api.limits[1].window`. Empty for the whole document. */
  readonly path: string;
  /** What is wrong, and what to write instead, in one sentence that begins with the path. */
  readonly message: string;
  /**
   * What kind of mistake it is: `SLUICE_OPTION` for an unknown word or a wrong value, `SLUICE_UNTRUSTED_HEADER` for a tier or
   * a cost from a header without `trustedFrom`, `SLUICE_UNSUPPORTED` for an option that only code can give, and for what the program cannot do (`check`),
   * `SLUICE_CHOSEN_KEY` for the warning that clients can choose the key of a policy, `SLUICE_WINDOW_SHORT` for the warning that a window or a block is a bare number
   * below 1,000, and `SLUICE_POLICY_FILE` for everything else, from text that is no YAML to a tier that nobody has defined.
   */
  readonly code: MistakeCode;
}

/** The kinds of mistakes. */
export type MistakeCode =
  | 'SLUICE_CHOSEN_KEY'
  | 'SLUICE_OPTION'
  | 'SLUICE_POLICY_FILE'
  | 'SLUICE_UNSUPPORTED'
  | 'SLUICE_UNTRUSTED_HEADER'
  | 'SLUICE_WINDOW_SHORT';

/**
 * Returns a mistake as one line of text: `sluice.yaml:14:9 policies.api.limits[1].windowMs is not an option: use window, got 60
 * (SLUICE_OPTION)`.
 */
export function mistakeText({ origin, line, column, message, code }: Mistake): string {
  return `${origin}:${line}:${column} ${message} (${code})`;
}
