import type { LlmCall } from '../call/llm-call.js';
import { publishWithheldError } from '../events.js';
import { isErrorStatus } from '../meter/provider-error.js';
import { answerFields } from './answer-fields.js';
import { EventFilter, WITHOUT_USAGE } from './event-filter.js';
import { withoutAccount } from './own-account.js';
import { errorForClient } from './provider-failure.js';

/**
 * Returns what changes a provider's stream on its way to the client; undefined if it is none.
 *
 * @param asksForUsage - whether the relay has asked for a usage that the client does not want
 */
export function streamEdit(
  { status, ok, body, headers }: Response,
  call: LlmCall,
  asksForUsage: boolean,
): EventFilter | undefined {
  if (!body || !ok || !isEventStream(headers)) return undefined;
  const account = withoutAccount((event) =>
    publishWithheldError({ model: call.model, format: call.format, status, body: event }),
  );
  return new EventFilter(asksForUsage ? [WITHOUT_USAGE, account] : [account]);
}

/** Returns what the client gets of a provider's answer. */
export async function clientAnswer(answer: Response, call: LlmCall): Promise<Response> {
  const { status, body, type } = answer;
  if (isErrorStatus(status) || type === 'error') return errorForClient(answer, call);
  return new Response(body, { status, headers: answerFields(answer) });
}

/** Some servers state no type. */
function isEventStream(headers: Headers): boolean {
  const type = headers.get('content-type');
  return type === null || type.startsWith('text/event-stream');
}
