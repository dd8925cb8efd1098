import { SluiceError } from '@sluice/core/src/values/error';
import type { RequestOptions } from './options/options.js';

/**
 * Checks the options of a policy that is called without a response: an application calls its middleware itself, for example
 * for one of several calls in a batch. Such a policy can count, and its `onLimitReached` can throw.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`
 */
export function checkWithoutResponse(
  policy: string,
  { onLimitReached, skipFailedRequests, skipSuccessfulRequests, ...others }: RequestOptions<never>,
): void {
  if (!onLimitReached)
    throw withoutResponse(policy, 'and can refuse nobody', 'pass it, or set an onLimitReached that throws');
  if (skipFailedRequests || skipSuccessfulRequests)
    throw withoutResponse(policy, 'whose status its options need', 'pass it, or settle(0) what is not to be counted');
  if ('maxWait' in others && others.maxWait !== undefined) throw endUnknown(policy);
}

/** Returns the error about a request that holds a slot or waits for its turn. */
export function endUnknown(policy: string): SluiceError {
  return withoutResponse(policy, 'whose end says how long a request may wait or hold a slot', 'pass it');
}

/** Returns the error about a refused request whose `onLimitReached` has not thrown. */
export function refusalUnsent(policy: string, status: number): SluiceError {
  return withoutResponse(policy, `and refuses the request with the status ${status}`, 'pass it');
}

/**
 * Checks that an application which calls a middleware itself has passed the context of its framework.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`
 */
export function checkContext(policy: string, context: object | undefined): void {
  if (context) return;
  const message = `the policy ${JSON.stringify(policy)} was called without a context: pass it`;
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}

function withoutResponse(policy: string, reason: string, cure: string): SluiceError {
  const message = `the policy ${JSON.stringify(policy)} was called without a response, ${reason}: ${cure}`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}
