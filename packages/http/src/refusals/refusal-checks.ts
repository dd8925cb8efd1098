import { isRecord } from '@sluice/core/src/values/check-object';
import { optionError } from '@sluice/core/src/values/error';
import { checkOneOf, checkWhole } from '@sluice/core/src/values/option-checks';
import { FIXED_MEMBERS } from './problem.js';

// What a policy may say about its refusals: as an option, where it is checked once, or as the result of a function, each time.

/** The body of a refusal. */
export type Message = string | Readonly<Record<string, unknown>>;

/** Checks whether a refusal says how long to wait. */
export function checkRetryAfter(value: unknown, path: string): boolean {
  return checkOneOf(value, path, [true, false]);
}

/** Checks the status of a refusal. */
export function checkStatus(value: unknown, path: string): number {
  return checkWhole(value, path, 400, 599);
}

/** Checks further members of a problem. */
export function checkMembers(members: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isRecord(members))
    throw optionError(path, 'must be a record of members, or a function that returns one', members);
  for (const name of FIXED_MEMBERS) {
    if (name in members) throw optionError(path, `must not have the member ${name}, which Sluice sets`, members);
  }
  return checkJson(members, path);
}

/** A message that cannot be written as JSON would make each refusal fail. */
export function checkJson<M extends Message>(content: M, path: string): M {
  try {
    if (JSON.stringify(content) !== undefined) return content;
  } catch {}
  throw optionError(path, 'must be text, or an object that can be written as JSON', content);
}

/** Checks a message that replaces the problem. */
export function checkMessage(message: unknown, path: string): Message {
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message);
  if (typeof message === 'string' || isObject) return message as Message;
  throw optionError(path, 'must be text, an object, or a function that returns one', message);
}
