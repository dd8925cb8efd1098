// Why it is so: core/docs/why/decision-service.md

import { STATUS_CODES } from 'node:http';
import { NOT_ASKED } from '../descriptors/descriptor-status.js';
import { MOST_DESCRIPTORS } from '../descriptors/policy-ask.js';
import type { RateLimitRequest } from '../descriptors/rate-limit-request.js';
import { CODES } from '../descriptors/rate-limit-response.js';
import { isMissingKey, MISSING_KEY, RequestMistake, type RequestPath } from '../descriptors/request-mistake.js';
import type { RateLimitMessage } from './protocol.js';
import { rateLimitMessage } from './rate-limit-message.js';

/** The answer to a call that was not decided, and the code by which it is counted. */
interface ErrorRefusal {
  readonly message: RateLimitMessage;
  readonly code: 'NOT_FOUND' | 'INVALID_ARGUMENT' | 'INTERNAL';
}

/**
 * Returns the answer to a call that failed. It says what the caller can mend, and nothing else of the reason. It is a refusal,
 * because Envoy lets requests pass after an error: a removed policy would open the gate, and so would a client that leaves out
 * the field which its policy counts by.
 */
export function refusalOfError(error: unknown, request: RateLimitRequest): ErrorRefusal {
  if (error instanceof RequestMistake) {
    const isUnknown = error.kind === 'unknown-policy';
    const message = refusalOf(isUnknown ? 404 : 400, error.message, request, descriptorOf(error.path));
    return { message, code: isUnknown ? 'NOT_FOUND' : 'INVALID_ARGUMENT' };
  }
  if (isMissingKey(error)) return { message: refusalOf(400, MISSING_KEY, request), code: 'INVALID_ARGUMENT' };
  return { message: refusalOf(500, 'the request could not be decided', request), code: 'INTERNAL' };
}

function refusalOf(
  status: number,
  detail: string,
  { descriptors }: RateLimitRequest,
  refused?: number,
): RateLimitMessage {
  return rateLimitMessage({
    overallCode: CODES.OVER_LIMIT,
    // A message has room for a hundred thousand descriptors, whose statuses would take the process a second.
    statuses: descriptors
      .slice(0, MOST_DESCRIPTORS)
      .map((_, i) => (i === refused ? { code: CODES.OVER_LIMIT } : NOT_ASKED)),
    responseHeadersToAdd: [{ key: 'Content-Type', value: 'application/problem+json' }],
    rawBody: JSON.stringify({ title: STATUS_CODES[status], status, detail }),
    dynamicMetadata: { status },
  });
}

/** The descriptor that a mistake is in, by its number. */
function descriptorOf([first, index]: RequestPath): number | undefined {
  return first === 'descriptors' && typeof index === 'number' ? index : undefined;
}
