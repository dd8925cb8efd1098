import { withCap } from '../call/caps.js';
import type { Format } from '../call/llm-call.js';
import type { JsonObject } from '../json-object.js';
import type { DecidedCall } from '../request/decided-call.js';

/** What is sent to the provider for a call. */
interface OutgoingBody {
  readonly text: string;
  /** Whether the relay asks for a usage that the client did not ask for, and so has to take out of the answer. */
  readonly asksForUsage: boolean;
}

/** Streams of these state their usage only if the call asks for it. */
const STATE_USAGE_ON_DEMAND: ReadonlySet<Format> = new Set(['openai-chat', 'openai-completions']);

/** Returns the caller's body with the model that was reserved, the cap that was held, and the wish for a usage. */
export function outgoingBody({ body, call, sentCap }: Pick<DecidedCall, 'body' | 'call' | 'sentCap'>): OutgoingBody {
  const asked = body as JsonObject;
  const options = Object(asked.stream_options) as JsonObject;
  const asksForUsage = call.stream && STATE_USAGE_ON_DEMAND.has(call.format) && options.include_usage !== true;
  const sent: JsonObject = {
    ...withCap(asked, call.format, sentCap),
    model: call.model,
    ...(asksForUsage && { stream_options: { ...options, include_usage: true } }),
  };
  return { text: JSON.stringify(sent), asksForUsage };
}
