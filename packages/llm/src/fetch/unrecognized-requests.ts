import { warn } from '@sluice/core/values';
import { LlmCallError } from '../call/call-error.js';

/**
 * Returns the function that is called for each request that is not recognized. It warns once, and throws if such requests are
 * refused.
 */
export function unrecognizedRequests(unrecognized: 'refuse' | 'count'): (line: string) => void {
  const rule = 'is no call of a model that providerFetch knows';
  let hasWarned = false;
  return (line) => {
    if (!hasWarned) {
      hasWarned = true;
      const choice = unrecognized === 'count' ? 'is counted as a completion of its body' : 'was not sent';
      warn('SLUICE_LLM_UNRECOGNIZED', `${line} ${rule}, so it ${choice}`);
    }
    if (unrecognized === 'refuse') throw new LlmCallError('url', `${rule}, so it was not sent`, line);
  };
}
