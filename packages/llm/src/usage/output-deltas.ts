import { estimateText } from '../call/tokens/estimate-text.js';
import { isObject, type JsonObject } from '../json-object.js';

/**
 * Returns about how many tokens of output an event of a stream carries: text, refusals, thoughts and arguments of tools, in
 * all dialects. A piece of text that is not empty is at least one token.
 */
export function outputTokensOf(event: JsonObject): number {
  const { delta, choices } = event;
  if (typeof delta === 'string') return isAudio(event) ? 0 : estimateText(delta);
  if (isObject(delta)) return anthropicTokens(delta);
  if (!Array.isArray(choices)) return 0;
  let tokens = 0;
  for (const choice of choices) if (isObject(choice)) tokens += choiceTokens(choice);
  return tokens;
}

/** OpenAI's responses stream sound as base64, and its transcript beside it. */
function isAudio({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('audio.delta');
}

function anthropicTokens({ text, thinking, partial_json }: JsonObject): number {
  return textTokens(text) + textTokens(thinking) + textTokens(partial_json);
}

function choiceTokens({ delta, text }: JsonObject): number {
  if (!isObject(delta)) return textTokens(text);
  const { content, refusal, reasoning_content, reasoning, tool_calls } = delta;
  // Some providers send the same thoughts under both names.
  const thoughts = textTokens(reasoning_content ?? reasoning);
  const tokens = textTokens(content) + textTokens(refusal) + thoughts + functionTokens(delta.function_call);
  if (!Array.isArray(tool_calls)) return tokens;
  return tool_calls.reduce((sum, call) => sum + (isObject(call) ? functionTokens(call.function) : 0), tokens);
}

function functionTokens(call: unknown): number {
  return isObject(call) ? textTokens(call.name) + textTokens(call.arguments) : 0;
}

function textTokens(text: unknown): number {
  return typeof text === 'string' ? estimateText(text) : 0;
}
