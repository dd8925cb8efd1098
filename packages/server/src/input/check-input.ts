import * as v from 'valibot';
import { type InputMistake, quotable } from '../http/input-problem.js';

/** A place in a body: the names and the indices on the way to it. */
export type Place = readonly (string | number)[];

/** The checked value of an input, or its mistakes. */
export type Checked<T> = { readonly value: T; readonly mistakes?: undefined } | { readonly mistakes: InputMistake[] };

/**
 * Checks a value by a schema, and lists all mistakes.
 *
 * @param place - where the value is in the body
 */
export function checkInput<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  place: Place = [],
): Checked<v.InferOutput<S>> {
  const result = v.safeParse(schema, value, { abortPipeEarly: true });
  if (result.success) return { value: result.output };
  return { mistakes: result.issues.map((issue) => mistakeOf(issue, place)) };
}

function mistakeOf({ path, message }: v.BaseIssue<unknown>, place: Place): InputMistake {
  const within = path?.map(({ key }) => key) ?? [];
  return { pointer: pointerOf([...place, ...within]), detail: message };
}

/** Returns the JSON pointer of a place (RFC 6901). */
export function pointerOf(place: readonly unknown[]): string {
  return place.map((part) => `/${escaped(String(part))}`).join('');
}

function escaped(name: string): string {
  return quotable(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
