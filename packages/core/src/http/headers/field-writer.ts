import type { SetField } from '../node/response.js';
import type { ConstantText } from './constant-text.js';
import type { StatedLimit } from './stated-limit.js';

/** Writes some of the header fields about limits. */
export interface FieldWriter {
  /** What a limit has to be to be stated: fields differ in the units that they know. */
  readonly states: keyof Pick<ConstantText, 'isRegistered' | 'countsRequests'>;
  /**
   * Writes the fields to a target, by the method of it that sets one.
   *
   * @param limits - at least one, and all of them can be stated
   */
  write<T extends object>(target: T, set: SetField<T>, limits: readonly StatedLimit[]): void;
}

/** Makes a writer. `named` returns the name of each of its fields as the target wants it. */
export type FieldWriterOf = (named: (name: string) => string) => FieldWriter;
