import { isObject, isStated, type JsonObject } from '../json-object.js';
import { LlmCallError } from './call-error.js';
import type { Format } from './llm-call.js';

/** The body of a request, parsed. */
export type Body = JsonObject;

/** Fields of Anthropic's messages that OpenAI's chat does not have. */
const ANTHROPIC_FIELDS = ['system', 'stop_sequences', 'thinking', 'anthropic_version', 'top_k', 'mcp_servers'];

/** Fields of OpenAI's chat that Anthropic's messages do not have. */
const CHAT_FIELDS = [
  'max_completion_tokens',
  'n',
  'response_format',
  'stream_options',
  'reasoning_effort',
  'functions',
];

/**
 * Recognizes the dialect of a body.
 *
 * A body with `input` is a call of OpenAI's responses unless the input or the name of the model can only mean embeddings. A
 * field such as `dimensions` decides nothing: a client could add it to make a response look like an embedding, which holds no output.
 */
export function formatOf(body: Body, model: string): Format {
  if (isStated(body.messages)) return isAnthropic(body, model) ? 'anthropic-messages' : 'openai-chat';
  if (isStated(body.input)) return isEmbedding(body.input, model) ? 'openai-embeddings' : 'openai-responses';
  // OpenAI's responses call a stored prompt by an object, and continue a stored response without any input.
  if (typeof body.prompt === 'string' || Array.isArray(body.prompt)) return 'openai-completions';
  if (isStated(body.prompt) || isStated(body.previous_response_id) || isStated(body.conversation))
    return 'openai-responses';
  throw new LlmCallError('body', 'must be an object with messages, input or prompt', body);
}

function isAnthropic(body: Body, model: string): boolean {
  if (CHAT_FIELDS.some((field) => isStated(body[field]))) return false;
  if (ANTHROPIC_FIELDS.some((field) => isStated(body[field])) || hasAnthropicTools(body.tools)) return true;
  // A short call has the same fields in both dialects. Anthropic asks for max_tokens.
  return isStated(body.max_tokens) && /claude/i.test(model);
}

function hasAnthropicTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && 'input_schema' in tool);
}

function isEmbedding(input: unknown, model: string): boolean {
  if (/embed/i.test(model)) return true;
  return Array.isArray(input) && input.length > 0 && !input.some(isItem);
}

/** Whether an element of `input` is an item of a conversation. Texts and lists of tokens are not. */
function isItem(element: unknown): boolean {
  return isObject(element) && !Array.isArray(element);
}
