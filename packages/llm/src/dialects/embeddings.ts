import { isObject, isStated } from '../json-object.js';
import { chat } from './chat.js';
import { isTextOrList } from './completions.js';
import type { Dialect } from './dialect.js';
import { CHOICES, namesHistory, openAi } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

/**
 * OpenAI's embeddings. They have no output, and no streams.
 *
 * @see https://platform.openai.com/docs/api-reference/embeddings
 */
export const embeddings: Dialect = {
  format: 'openai-embeddings',
  vendor: openAi,

  address: modelAndEnding('/embeddings'),
  // A field such as `dimensions` decides nothing: a client could add it to make a response look like an embedding, which holds no output.
  recognizes: ({ input }, model) => isStated(input) && (/embed/i.test(model) || isListOfTexts(input)),
  fault: ({ input }) =>
    isTextOrList(input) ? undefined : { field: 'input', rule: 'must be text or an array', received: input },

  caps: [],
  raisesCap: [],
  choices: CHOICES,

  prompt: SHARED_PROMPT,
  namesHistory,

  statement: chat.statement,
  usage: chat.usage,
  readOutput: () => false,
};

/** Whether no element is an item of a conversation. Texts and lists of tokens are not. */
function isListOfTexts(input: unknown): boolean {
  return Array.isArray(input) && input.length > 0 && !input.some((item) => isObject(item) && !Array.isArray(item));
}
