import { SluiceError } from '@sluice/core';

/** Where in a request a mistake is: `['descriptors', 0, 'limit']`. */
export type RequestPath = readonly (string | number)[];

/** A request that cannot be asked. Nothing was spent. */
export class RequestMistake extends Error {
  /** Whether the request is wrong, or names a policy that the file does not have. */
  readonly kind: 'invalid' | 'unknown-policy';
  readonly path: RequestPath;
  /** The rule that is broken, without the path. */
  readonly rule: string;

  constructor(path: RequestPath, rule: string, kind: RequestMistake['kind'] = 'invalid') {
    super(`${pathText(path)} ${rule}`);
    this.name = 'RequestMistake';
    this.kind = kind;
    this.path = path;
    this.rule = rule;
  }
}

/** Writes a path as people write it: `descriptors[0].limit`. */
function pathText(path: RequestPath): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

/** The message if a policy finds nothing to count by. */
export const MISSING_KEY =
  'a descriptor lacks the entry that its policy counts by, and has no remote_address to count by instead';

/** Whether a policy found nothing to count by. */
export function isMissingKey(error: unknown): boolean {
  return error instanceof SluiceError && error.code === 'SLUICE_KEY';
}
