import type { Dimension } from './dimension.js';

/** A limit that the policy of `createLlm` has. Its name never depends on a plan, so that a changed plan keeps what was spent. */
export interface NamedLimit {
  /** The name in the policy: `tpm`, `model-tpm`, `org-tpm`, `org-model-tpm`. */
  readonly name: string;
  readonly dimension: Dimension;
  /** Whether it counts each model apart. */
  readonly isOfModel: boolean;
  /** The name of its scope; undefined for the plan of the caller. */
  readonly scope: string | undefined;
}

/** Returns the limit of a dimension. */
export function namedLimit(dimension: Dimension, isOfModel: boolean, scope: string | undefined): NamedLimit {
  const name = [scope, isOfModel ? 'model' : undefined, dimension.name].filter((part) => part !== undefined).join('-');
  return { name, dimension, isOfModel, scope };
}
