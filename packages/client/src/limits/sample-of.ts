import type { Outcome } from '../engine/exchange.js';
import { isAbort, isOverLimit } from '../engine/retry-policy.js';
import { type HeaderSource, pickFields } from '../headers/fields.js';
import type { Sample } from './adaptive-slot.js';
import type { BreakerSample } from './breaker.js';

/** Statuses of a server, or of a gateway before it, that cannot take more: 529 is the overload of Anthropic and others. */
const OVERLOADED: ReadonlySet<number> = new Set([502, 503, 504, 529]);

const FIRST_SERVER_ERROR = 500;
/** Another protocol begins. */
const SWITCHING_PROTOCOLS = 101;

const CONTENT_TYPE: ReadonlySet<string> = new Set(['content-type']);

/**
 * Returns what an outcome says about how much the server can take.
 *
 * @param hasLimits - whether the server states limits. A refusal by a limit is then about them
 */
export function sampleOf({ head, error }: Outcome, signal: AbortSignal | undefined, hasLimits: boolean): Sample {
  if (!head) return isEndedByCaller(error, signal) ? 'nothing' : 'failure';
  const { status, headers } = head;
  if (OVERLOADED.has(status)) return 'failure';
  if (isOverLimit(head)) return hasLimits ? 'nothing' : 'failure';
  // A handler that fails says nothing. Errors of the caller are answers like others.
  if (status >= FIRST_SERVER_ERROR || status === SWITCHING_PROTOCOLS || isStream(headers)) return 'nothing';
  return 'success';
}

/**
 * Returns what an outcome says about whether the server can be called.
 *
 * @param hasLimits - as for `sampleOf`
 */
export function breakerSampleOf(outcome: Outcome, signal: AbortSignal | undefined, hasLimits: boolean): BreakerSample {
  const sample = sampleOf(outcome, signal, hasLimits);
  if (outcome.head) return sample === 'failure' ? 'refused' : 'accepted';
  return sample === 'failure' ? 'silent' : 'nothing';
}

/** Whether the caller has ended the request. A time-out says that the server is slow, whoever has set it. */
function isEndedByCaller(error: unknown, signal: AbortSignal | undefined): boolean {
  const isTimeout = typeof error === 'object' && error !== null && 'name' in error && error.name === 'TimeoutError';
  return !isTimeout && (isAbort(error) || signal?.aborted === true);
}

/** Whether the head came before the work: an event stream begins at once, and goes on for as long as it likes. */
function isStream(headers: HeaderSource): boolean {
  return pickFields(headers, CONTENT_TYPE).get('content-type')?.startsWith('text/event-stream') === true;
}
