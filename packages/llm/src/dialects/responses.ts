import { isObject, isStated, type JsonObject } from '../json-object.js';
import { isTextOrList } from './completions.js';
import type { Dialect } from './dialect.js';
import { ALL_CAPS, CHOICES, namesHistory, openAi, openAiUsage } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

/** Answers that have one of these states do not change any more. */
const FINAL_STATES: readonly unknown[] = ['completed', 'incomplete', 'failed', 'cancelled'];

/**
 * OpenAI's responses.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const responses: Dialect = {
  format: 'openai-responses',
  vendor: openAi,

  address: modelAndEnding('/responses'),
  // A stored prompt is called by an object, and a stored response is continued without any input.
  recognizes: (body) => isStated(body.input) || (!isTextOrList(body.prompt) && namesHistory(body)),
  fault: ({ input }) =>
    isTextOrList(input) || !isStated(input)
      ? undefined
      : { field: 'input', rule: 'must be text or an array', received: input },

  caps: [['max_output_tokens']],
  raisesCap: ALL_CAPS,
  choices: CHOICES,

  prompt: SHARED_PROMPT,
  namesHistory,

  statement(event) {
    const response = responseOf(event);
    if (response) return { usage: response.usage, isFinal: FINAL_STATES.includes(response.status) };
    const { object, status, usage } = event;
    return object === 'response' ? { usage, isFinal: FINAL_STATES.includes(status) } : undefined;
  },

  usage(counts, stated, isKnown) {
    if (!isStated(stated.input_tokens)) return undefined;
    const isOpenAi = isKnown || 'input_tokens_details' in stated || 'total_tokens' in stated;
    return isOpenAi ? openAiUsage(counts, 'input', 'output') : undefined;
  },

  readOutput({ type, delta }, say) {
    if (typeof delta !== 'string') return false;
    // Sound streams as base64, and its transcript beside it.
    if (typeof type !== 'string' || !type.endsWith('audio.delta')) say(delta);
    return true;
  },
};

/** Returns the response that an event has: `response.completed`. */
export function responseOf({ type, response }: JsonObject): JsonObject | undefined {
  return typeof type === 'string' && type.startsWith('response.') && isObject(response) ? response : undefined;
}
