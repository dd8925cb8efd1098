import type { SetField } from '../node/response-fields.js';
import type { StatedLimit } from './stated-limit.js';

/** Writes some of the header fields about limits. */
export interface FieldWriter {
  /**
   * Writes the fields to a target, by the method of it that sets one. Fields differ in the units that they know.
   *
   * @param tightest - of those that count requests; undefined if none does
   */
  write<T extends object>(
    target: T,
    set: SetField<T>,
    limits: readonly StatedLimit[],
    tightest: StatedLimit | undefined,
  ): void;
}

/** Makes a writer. `named` returns the name of each of its fields as the target wants it. */
export type FieldWriterOf = (named: (name: string) => string) => FieldWriter;
