import type { Format } from '../call/llm-call.js';
import type { JsonObject } from '../json-object.js';
import type { DecidedCall } from '../request/decided-call.js';

/** What is sent to the provider for a call. */
interface OutgoingBody {
  readonly text: string;
  /** Whether the relay asks for a usage that the client did not ask for, and so has to take out of the answer. */
  readonly asksForUsage: boolean;
}

/** The members that cap the output of one choice. The first is used if the caller set none. */
const CAPS: Readonly<Record<Format, readonly string[]>> = {
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  'openai-responses': ['max_output_tokens'],
  'openai-completions': ['max_tokens'],
  'openai-embeddings': [],
  'anthropic-messages': ['max_tokens'],
};

/** Streams of these state their usage only if the call asks for it. */
const STATE_USAGE_ON_DEMAND: ReadonlySet<Format> = new Set(['openai-chat', 'openai-completions']);

/** Returns the caller's body with the model that was reserved, the cap that was held, and the wish for a usage. */
export function outgoingBody({ body, call, sentCap }: Pick<DecidedCall, 'body' | 'call' | 'sentCap'>): OutgoingBody {
  const asked = body as JsonObject;
  const options = Object(asked.stream_options) as JsonObject;
  const asksForUsage = call.stream && STATE_USAGE_ON_DEMAND.has(call.format) && options.include_usage !== true;
  const sent: JsonObject = {
    ...asked,
    model: call.model,
    ...(sentCap !== undefined && cappedBy(sentCap, asked, CAPS[call.format])),
    ...(asksForUsage && { stream_options: { ...options, include_usage: true } }),
  };
  return { text: JSON.stringify(sent), asksForUsage };
}

/** Returns the caps to send: none of them is above `most`. */
function cappedBy(most: number, body: JsonObject, names: readonly string[]): JsonObject {
  const stated = names.filter((name) => typeof body[name] === 'number');
  const caps = stated.length === 0 ? names.slice(0, 1) : stated;
  return Object.fromEntries(caps.map((name) => [name, Math.min(most, Number(body[name] ?? most))]));
}
