// Why it is so: core/docs/why/verdicts.md

import type { Decision } from '@sluice/core/src/values/decision';
import { isPromise } from '@sluice/core/src/values/eventual';
import { warnOfHook } from '@sluice/core/src/values/warning';
import type { RequestOptions } from '../options/options.js';

/**
 * Calls a policy's `onDecision`. It is not awaited. If it fails, the request goes on, and a warning is given once per
 * policy.
 */
export function callDecisionHook<A extends readonly unknown[]>(
  options: RequestOptions<A>,
  args: A,
  decision: Decision,
): void {
  const fail = (error: unknown): void => warnOfHook(options, 'onDecision', 'so the decision stands', error);
  try {
    const answer = options.onDecision?.(...args, decision);
    if (isPromise(answer)) Promise.resolve(answer).catch(fail);
  } catch (error) {
    fail(error);
  }
}
