import { APICallError } from 'ai';
import type { CallEnd } from '../meter/call-outcome.js';

/** Errors of the `ai` package that come before anything is sent: a missing key, or a call that the provider cannot have. */
const BEFORE_SENDING: readonly unknown[] = [
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
];

/** The message of Node's `fetch` if there was no answer. */
const UNREACHED = 'fetch failed';

/**
 * Returns how a call ended whose model failed. If the provider refused it or was never reached, it has cost nothing. If its caller
 * left, or its answer made no sense, the provider may have worked.
 */
export function failureOf(error: unknown, signal: AbortSignal | undefined): CallEnd {
  if (APICallError.isInstance(error)) {
    const { statusCode } = error;
    if (statusCode !== undefined) return statusCode >= 400 ? 'refused' : 'broken';
    return signal?.aborted ? 'broken' : 'refused';
  }
  const { name, message } = Object(error) as Partial<Error>;
  const isUnsent = BEFORE_SENDING.includes(name) || (name === 'TypeError' && message === UNREACHED);
  return isUnsent ? 'refused' : 'broken';
}
