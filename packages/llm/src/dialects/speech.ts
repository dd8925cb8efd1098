import { isObject } from '../json-object.js';
import type { Dialect } from './dialect.js';
import { openAi, openAiMediaUsage } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

const SETTINGS = ['voice', 'speed', 'response_format', 'stream_format'];

const addressOf = modelAndEnding('/audio/speech');

/**
 * OpenAI's speech, as events: sound alone states no usage, and needs a price for characters.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export const speech: Dialect = {
  format: 'openai-speech',
  vendor: openAi,

  address(path) {
    const said = addressOf(path);
    return said && { ...said, stream: true };
  },
  // A response has the same members.
  recognizes: () => false,
  fault: ({ input }) =>
    typeof input === 'string' ? undefined : { field: 'input', rule: 'must be text', received: input },
  unmetered: ({ stream_format: form }) =>
    form === 'sse'
      ? undefined
      : { field: 'stream_format', rule: 'must be "sse": sound alone states no usage', received: form },
  // Whatever a provider takes for a character, there are no more of them.
  characters: ({ input }) => String(input).length,

  caps: [],
  mediaRate: 'audioOutput',
  raisesCap: [],
  choices: [],
  // How fast the voice is.
  unpriced: { speed: () => false },

  prompt: { ...SHARED_PROMPT, settings: new Set([...SHARED_PROMPT.settings, ...SETTINGS]) },
  namesHistory: () => false,

  statement: ({ usage }) => (isObject(usage) ? { usage, isFinal: true } : undefined),
  usage: (counts, _, isKnown) => (isKnown ? openAiMediaUsage(counts, 'audioOutput') : undefined),
  readOutput: () => true,
};
