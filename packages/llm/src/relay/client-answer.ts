import type { LlmCall } from '../call/llm-call.js';
import { dialectOf } from '../dialects/dialects.js';
import { publishWithheldError } from '../events.js';
import type { BodyEdit } from '../meter/metered-body.js';
import { elementEnds, frameEnds } from '../meter/piece-ends.js';
import { isErrorStatus } from '../meter/provider-error.js';
import { answerFields } from './answer-fields.js';
import { EventFilter, WITHOUT_USAGE } from './event-filter.js';
import { framesWithoutAccount, piecesWithoutAccount, type Withholding, withoutAccount } from './own-account.js';
import { PieceFilter } from './piece-filter.js';
import { errorForClient } from './provider-failure.js';

/** What of a call says how its answer is passed on. */
type AnsweredCall = Pick<LlmCall, 'model' | 'format'>;

/**
 * Returns what changes a provider's answer on its way to the client; undefined if it passes as it is.
 *
 * @param asksForUsage - whether the relay has asked for a usage that the client does not want
 */
export function answerEdit(
  { ok, body, headers, status }: Response,
  call: AnsweredCall,
  asksForUsage: boolean,
): BodyEdit | undefined {
  if (!body || !ok) return undefined;
  const type = headers.get('content-type');
  const withholding = withholdingOf(call, status);
  if (isEventStream(type)) {
    const account = withoutAccount(withholding);
    return new EventFilter(asksForUsage ? [WITHOUT_USAGE, account] : [account]);
  }
  if (type?.startsWith('application/vnd.amazon.eventstream'))
    return new PieceFilter(frameEnds(), framesWithoutAccount(withholding));
  // Gemini has streams that are arrays, and any answer can have a member that is an error.
  return type?.startsWith('application/json')
    ? new PieceFilter(elementEnds(), piecesWithoutAccount(withholding))
    : undefined;
}

/** Returns what the client gets of a provider's answer. */
export async function clientAnswer(answer: Response, call: AnsweredCall): Promise<Response> {
  const { status, body, type } = answer;
  if (isErrorStatus(status) || type === 'error') return errorForClient(answer, call);
  return new Response(body, { status, headers: answerFields(answer) });
}

/** Returns who is told of what does not reach the client of a call. */
export function withholdingOf({ model, format }: AnsweredCall, status: number): Withholding {
  return {
    vendor: dialectOf(format).vendor,
    onWithheld: (body) => publishWithheldError({ model, format, status, body }),
  };
}

/** Whether the body is a stream of events. Some servers state no type. */
function isEventStream(type: string | null): boolean {
  return type === null || type.startsWith('text/event-stream');
}
