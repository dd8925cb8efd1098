/**
 * A result that is returned at once if `Async` is false, and as a promise if it is true. If `Async` is not known, it
 * may be either.
 */
export type Answer<T, Async extends boolean = boolean> = Async extends true ? Promise<T> : T;

/**
 * One key under the name of one limit. For a reset, it names the states of this key under this name, in every algorithm, with
 * blocks and slots.
 */
export interface Target {
  /** The name of the policy. */
  readonly policy: string;
  /** The name of the limit. A store makes its own key of a format version, algorithm, policy, name and `key`. */
  readonly name: string;
  /** The encoded key of the subject: who is counted. */
  readonly key: string;
}
