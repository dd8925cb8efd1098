import { SluiceError } from '@sluice/core';
import { reasonOf } from '@sluice/core/values';
import { type Mistake, mistakeText } from '../file/mistake.js';

/** The error for a text that has mistakes. The message lists all of them. */
export function policyFileError(mistakes: readonly Mistake[]): SluiceError {
  const [first] = mistakes;
  const count = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`;
  const lines = mistakes.map(mistakeText).join('\n');
  return new SluiceError('SLUICE_POLICY_FILE', `${lines}\n${first?.origin} has ${count}`);
}

/** A mistake of a whole text, such as an error of the source. */
export function wholeMistake(origin: string, message: string): Mistake {
  return { origin, line: 1, column: 1, path: '', message, code: 'SLUICE_POLICY_FILE' };
}

/** Returns an error as a mistake. */
export function mistakeOf(origin: string, error: unknown): Mistake {
  return wholeMistake(origin, reasonOf(error));
}
