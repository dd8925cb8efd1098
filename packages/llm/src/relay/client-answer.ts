import type { LlmCall } from '../call/llm-call.js';
import { publishWithheldError } from '../events.js';
import { isErrorStatus } from '../meter/provider-error.js';
import { answerFields } from './answer-fields.js';
import { editedEvents, WITHOUT_USAGE } from './event-filter.js';
import { withoutAccount } from './own-account.js';
import { errorForClient } from './provider-failure.js';

/**
 * Returns what the client gets of a provider's answer.
 *
 * @param asksForUsage - whether the relay has asked for a usage that the client does not want
 */
export async function clientAnswer(answer: Response, call: LlmCall, asksForUsage: boolean): Promise<Response> {
  const { status, body, ok, type } = answer;
  if (isErrorStatus(status) || type === 'error') return errorForClient(answer, call);
  const headers = answerFields(answer);
  if (!body || !ok || !isEventStream(headers)) return new Response(body, { status, headers });
  const account = withoutAccount((event) =>
    publishWithheldError({ model: call.model, format: call.format, status, body: event }),
  );
  return new Response(editedEvents(body, asksForUsage ? [WITHOUT_USAGE, account] : [account]), { status, headers });
}

/** Some servers state no type. */
function isEventStream(headers: Headers): boolean {
  const type = headers.get('content-type');
  return type === null || type.startsWith('text/event-stream');
}
