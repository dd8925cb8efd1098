/** One mistake of a policy file, with its place. */
export interface Mistake {
  /** The name of the file, or where else the text came from. */
  readonly origin: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1: of the key if the key is wrong, otherwise of the value. */
  readonly column: number;
  /** Where it is in the document, such as `policies.api.limits[1].window`. Empty for the whole document. */
  readonly path: string;
  /** What is wrong, and what to write instead, in one sentence. */
  readonly message: string;
  /** The code of the error: `SLUICE_OPTION` for a wrong value, `SLUICE_POLICY_FILE` for text that is no policy file. */
  readonly code: 'SLUICE_OPTION' | 'SLUICE_POLICY_FILE' | 'SLUICE_UNSUPPORTED';
}
