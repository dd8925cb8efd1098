import { chat, readChoices } from './chat.js';
import type { Dialect } from './dialect.js';
import { ALL_CAPS, CHOICES, namesHistory, openAi } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

/**
 * OpenAI's completions: a text is continued.
 *
 * @see https://platform.openai.com/docs/api-reference/completions
 */
export const completions: Dialect = {
  format: 'openai-completions',
  vendor: openAi,

  address: modelAndEnding('/completions'),
  recognizes: ({ prompt }) => isTextOrList(prompt),
  fault: ({ prompt }) =>
    isTextOrList(prompt) ? undefined : { field: 'prompt', rule: 'must be text or an array', received: prompt },

  caps: [['max_tokens']],
  raisesCap: ALL_CAPS,
  choices: CHOICES,
  // A prompt is text or a list of tokens. There may be a list of prompts.
  prompts: ({ prompt }) => (Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1),

  prompt: SHARED_PROMPT,
  namesHistory,

  usageSwitch: ['stream_options', 'include_usage'],
  statement: chat.statement,
  usage: chat.usage,
  readOutput: readChoices,
};

/** Whether a value is text, or a list of texts or of tokens. */
export function isTextOrList(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}
