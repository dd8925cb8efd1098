import { isObject } from '../json-object.js';
import type { PlannedCall } from './planned-call.js';

/** A model that a request is decided with instead of its own. */
export interface ModelChoice {
  readonly model: string;
  /** How many cheaper models were tried before this one. */
  readonly tried: number;
  /** The call of the decision before, if there was one: its body and plans stay the same. */
  readonly before?: PlannedCall;
}

const choices = new WeakMap<object, ModelChoice>();

/**
 * Chooses the model of the next decision about a request. The decision takes the choice when it begins, so decisions about the
 * same object do not disturb each other.
 */
export function chooseModel(request: object, choice: ModelChoice): void {
  choices.set(request, choice);
}

/** Returns the choice for the decision that begins now, and forgets it. */
export function takeChoice(request: unknown): ModelChoice | undefined {
  if (!isObject(request)) return undefined;
  const choice = choices.get(request);
  if (choice) choices.delete(request);
  return choice;
}
