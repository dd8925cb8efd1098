import { isObject } from '../json-object.js';
import type { Dialect } from './dialect.js';
import { openAi, openAiUsage } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

const SETTINGS = [
  ...['response_format', 'language', 'temperature', 'include[]', 'timestamp_granularities[]', 'chunking_strategy'],
  ...['known_speaker_names[]', 'stream'],
];

/** Forms of the answer that state a usage. The others are the text alone. */
const WITH_USAGE: readonly unknown[] = [undefined, 'json', 'verbose_json', 'diarized_json'];

/**
 * OpenAI's transcriptions: a form with a file of sound.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const transcriptions: Dialect = {
  format: 'openai-transcriptions',
  vendor: openAi,

  address: modelAndEnding('/audio/transcriptions'),
  recognizes: () => false,
  fileInForm: (data) => ({ type: 'input_audio', data }),
  fault: ({ file }) => (isObject(file) ? undefined : { field: 'file', rule: 'must be a file', received: file }),
  unmetered: ({ response_format: form }) =>
    WITH_USAGE.includes(form)
      ? undefined
      : { field: 'response_format', rule: 'must be "json": text alone states no usage', received: form },

  caps: [],
  addsNoCap: true,
  inputRate: 'audioInput',
  raisesCap: [],
  choices: [],

  prompt: {
    ...SHARED_PROMPT,
    settings: new Set([...SHARED_PROMPT.settings, ...SETTINGS]),
    parts: new Set(['file', 'prompt', 'known_speaker_references[]']),
  },
  namesHistory: () => false,

  statement: ({ usage }) => (isObject(usage) ? { usage, isFinal: true } : undefined),
  usage: (counts, _, isKnown) => (isKnown ? openAiUsage(counts, 'input', 'output') : undefined),
  readOutput({ delta }, say) {
    say(delta);
    return true;
  },
};
