import { type InputMistake, InputProblem, type InputProblemOptions } from '../http/input-problem.js';

/** How many mistakes a problem lists: the answer to a hostile body must not be larger than the body. */
export const MOST_LISTED = 100;

/**
 * Returns the problem that lists mistakes: all of them, but at most the first hundred.
 *
 * @param mistakes - at least one
 */
export function inputProblem(
  status: number,
  mistakes: readonly InputMistake[],
  options?: InputProblemOptions,
): InputProblem {
  const [first, ...rest] = mistakes.slice(0, MOST_LISTED) as [InputMistake, ...InputMistake[]];
  return new InputProblem(status, [first, ...rest], options);
}
