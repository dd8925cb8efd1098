import { isObject } from '../json-object.js';
import { LlmCallError } from './call-error.js';

/** Far more than any call has. A relay writes the body as JSON again, where some thousand levels overflow the stack. */
const MOST_LEVELS = 1000;

/** @throws LlmCallError if a value lies below too many objects and lists */
export function checkLevel(level: number): void {
  if (level > MOST_LEVELS) throw new LlmCallError('body', `must have at most ${MOST_LEVELS} levels`, level);
}

/**
 * Checks a field that is no part of the prompt. It goes level by level, so the depth costs no stack.
 *
 * @throws LlmCallError if it has too many levels
 */
export function checkDepth(value: unknown): void {
  let objects = [value].filter(isObject);
  for (let level = 1; objects.length > 0; level += 1) {
    checkLevel(level);
    objects = objects.flatMap((object) => Object.values(object).filter(isObject));
  }
}
