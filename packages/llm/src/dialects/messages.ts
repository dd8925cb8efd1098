import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import { anthropic } from './anthropic.js';
import { faultOfMessages } from './chat.js';
import type { Counts } from './counts.js';
import type { Dialect } from './dialect.js';
import { ALL_CAPS, CHOICES, namesHistory } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

/** Fields that OpenAI's chat does not have. */
const OWN_FIELDS = ['system', 'stop_sequences', 'thinking', 'anthropic_version', 'top_k', 'mcp_servers'];

/** Fields of OpenAI's chat that messages do not have. */
const CHAT_FIELDS = [
  'max_completion_tokens',
  'n',
  'response_format',
  'stream_options',
  'reasoning_effort',
  'functions',
];

/**
 * Anthropic's messages.
 *
 * @see https://docs.anthropic.com/en/api/messages
 */
export const messages: Dialect = {
  format: 'anthropic-messages',
  vendor: anthropic,

  // The threads of OpenAI's assistants have messages, too, which are no calls.
  address: (path) => (/\/threads\/[^/]*\/messages$/i.test(path) ? undefined : modelAndEnding('/messages')(path)),
  recognizes(body, model) {
    if (!isStated(body.messages) || CHAT_FIELDS.some((field) => isStated(body[field]))) return false;
    if (OWN_FIELDS.some((field) => isStated(body[field])) || hasOwnTools(body.tools)) return true;
    // A short call has the same fields in both dialects. Anthropic asks for max_tokens.
    return isStated(body.max_tokens) && /claude/i.test(model);
  },
  fault: faultOfMessages,

  caps: [['max_tokens']],
  raisesCap: ALL_CAPS,
  choices: CHOICES,

  prompt: SHARED_PROMPT,
  namesHistory,

  // Each event has only some of the fields, and its numbers are totals. The first event counts one token of the answer.
  statement({ type, message, usage }) {
    if (type === 'message_start' && isObject(message)) return { usage: message.usage, isFinal: false, isPart: true };
    if (type === 'message_delta') return { usage, isFinal: true, isPart: true };
    return type === 'message' ? { usage, isFinal: true } : undefined;
  },

  usage: (counts, { input_tokens, output_tokens }) =>
    isStated(input_tokens) && isStated(output_tokens) ? usageOf(counts) : undefined,

  readOutput({ delta }, say) {
    if (!isObject(delta)) return false;
    say(delta.text);
    say(delta.thinking);
    say(delta.partial_json);
    return true;
  },
};

function hasOwnTools(tools: JsonObject[string]): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && 'input_schema' in tool);
}

/** Cached tokens are counted beside `input_tokens`. */
function usageOf(counts: Counts): Usage {
  const output = counts.of('output_tokens');
  const anHour = counts.of('cache_creation.ephemeral_1h_input_tokens');
  const fiveMinutes = counts.of('cache_creation.ephemeral_5m_input_tokens');
  return {
    input: counts.of('input_tokens'),
    cacheRead: counts.of('cache_read_input_tokens'),
    cacheWrite: Math.max(counts.of('cache_creation_input_tokens'), anHour + fiveMinutes),
    ...(anHour > 0 && { cacheWrite1h: anHour }),
    output,
    reasoning: Math.min(output, counts.of('output_tokens_details.thinking_tokens')),
    complete: true,
  };
}
