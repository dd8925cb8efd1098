import { SluiceError } from '../values/error.js';
import type { RequestOptions } from './options.js';

/**
 * What a policy cannot do for an application that calls its middleware itself, and has no response: for one of several calls in
 * a batch, for example. It can count, and let `onLimitReached` throw.
 */
function withoutResponse(policy: string, reason: string, cure: string): SluiceError {
  const message = `the policy ${JSON.stringify(policy)} was called without a response, ${reason}: ${cure}`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}

/**
 * Checks the options of a policy that is called without a response.
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

/** For a request that holds a slot or waits for its turn. */
export function endUnknown(policy: string): SluiceError {
  return withoutResponse(policy, 'whose end says how long a request may wait or hold a slot', 'pass it');
}

/** For a request that is refused, and whose application does not throw. */
export function refusalUnsent(policy: string, status: number): SluiceError {
  return withoutResponse(policy, `and refuses the request with the status ${status}`, 'pass it');
}
